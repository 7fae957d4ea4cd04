import { generateKeyPairSync, type KeyExportOptions, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mintClientSecret } from './apple.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const now = new Date('2030-01-15T12:00:00.900Z');
const issuer = 'https://appleid.apple.com';

const mint = (secret: string, at = now) =>
  mintClientSecret(
    { public_config: { client_id: 'com.example.web', team_id: 'TEAM', key_id: 'KEY' }, secret },
    { issuer, now: at },
  );
const secretOf = (minted: ReturnType<typeof mint>): string => ('secret' in minted ? minted.secret : '');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
const exported = (options: KeyExportOptions<'pem'>) => privateKey.export(options) as string;

describe('the client secret for Apple', () => {
  it('is an ES256 JWT by the saved key, for five minutes', () => {
    const [header, claims, signature, ...rest] = secretOf(mint(pem)).split('.');
    expect(rest).toEqual([]);
    expect(decode(header)).toEqual({ alg: 'ES256', kid: 'KEY' });
    const iat = Date.parse('2030-01-15T12:00:00Z') / 1000;
    expect(decode(claims)).toEqual({ iss: 'TEAM', sub: 'com.example.web', aud: issuer, iat, exp: iat + 300 });
    const bytes = Buffer.from(signature!, 'base64url');
    expect(bytes).toHaveLength(64);
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', Buffer.from(`${header}.${claims}`), key, bytes)).toBe(true);
  });

  it('is another at another time', () => {
    const claimsAt = (at: Date) => secretOf(mint(pem, at)).split('.')[1];
    expect(claimsAt(now)).not.toBe(claimsAt(new Date(now.getTime() + 1000)));
  });

  it.each([
    ['with the breaks of a shell', pem.replaceAll('\n', '\\n')],
    ['with the breaks of Windows', pem.replaceAll('\n', '\r\n')],
    ['with space around it', `\n${pem}\n\n`],
    ['in the older form', exported({ type: 'sec1', format: 'pem' })],
  ])('a key %s is good', (_what, secret) => {
    expect(mint(secret)).toEqual({ secret: expect.any(String) });
  });

  const other = (kind: 'secp384r1' | 'secp256k1') =>
    generateKeyPairSync('ec', { namedCurve: kind }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const rsa = () =>
    generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  it.each([
    ['nothing', 'unreadable', ''],
    ['no PEM', 'unreadable', 'a client secret'],
    ['a PEM of nothing', 'unreadable', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['one that is cut', 'unreadable', pem.slice(0, 120)],
    ['the public half', 'unreadable', publicKey.export({ type: 'spki', format: 'pem' }) as string],
    [
      'one with a passphrase',
      'unreadable',
      exported({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    ],
    ['a larger curve', 'wrong_kind', other('secp384r1')],
    ['the curve of coins', 'wrong_kind', other('secp256k1')],
    ['RSA', 'wrong_kind', rsa()],
  ])('%s: none, since it is %s', (_what, fault, secret) => {
    expect(mint(secret)).toEqual({ fault });
  });
});
