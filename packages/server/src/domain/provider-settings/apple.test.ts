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
  it('the client secret is an ES256 JWT signed by the stored key, valid for five minutes', () => {
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

  it('the client secret is different a second later', () => {
    const claimsAt = (at: Date) => secretOf(mint(pem, at)).split('.')[1];
    expect(claimsAt(now)).not.toBe(claimsAt(new Date(now.getTime() + 1000)));
  });

  it.each([
    ['with escaped line breaks of a shell', pem.replaceAll('\n', '\\n')],
    ['with line breaks of Windows', pem.replaceAll('\n', '\r\n')],
    ['with white space around it', `\n${pem}\n\n`],
    ['in SEC1 format', exported({ type: 'sec1', format: 'pem' })],
  ])('a key %s is accepted', (_what, secret) => {
    expect(mint(secret)).toEqual({ secret: expect.any(String) });
  });

  const other = (kind: 'secp384r1' | 'secp256k1') =>
    generateKeyPairSync('ec', { namedCurve: kind }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const rsa = () =>
    generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  it.each([
    ['nothing', 'unreadable', ''],
    ['text that is not PEM', 'unreadable', 'a client secret'],
    ['an empty PEM', 'unreadable', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'],
    ['a truncated key', 'unreadable', pem.slice(0, 120)],
    ['the public key', 'unreadable', publicKey.export({ type: 'spki', format: 'pem' }) as string],
    [
      'a key with a passphrase',
      'unreadable',
      exported({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    ],
    ['a larger curve', 'wrong_kind', other('secp384r1')],
    ['secp256k1', 'wrong_kind', other('secp256k1')],
    ['RSA', 'wrong_kind', rsa()],
  ])('%s is rejected as %s', (_what, fault, secret) => {
    expect(mint(secret)).toEqual({ fault });
  });
});
