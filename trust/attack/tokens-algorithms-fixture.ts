import { constants, type KeyObject, sign } from 'node:crypto';
import { assemble, type Forgery, headerOf, hs, rs256, type Table, type Workshop } from './tokens-fixture.ts';

const SPELLINGS = [
  'none',
  'None',
  'NONE',
  'nOnE',
  ' none',
  'none ',
  'none\0',
  'nonе',
  '',
  null,
  undefined,
  0,
  false,
  [],
];

export const unsigned: Table = (workshop) => {
  const [, , signature] = workshop.genuine.split('.') as [string, string, string];
  return SPELLINGS.flatMap((alg) =>
    Object.entries({ 'no signature': '', 'a genuine signature': signature, 'some bytes': 'AAAA' }).map(
      ([what, last]) => ({
        name: `alg ${JSON.stringify(alg)}, ${what}`,
        token: assemble({ ...headerOf(workshop), alg }, workshop.claims, () => last),
      }),
    ),
  );
};

/** Values that an implementation could mistake for an HMAC secret. */
const secretsOf = ({ published, kid, secret, keyring }: Workshop): Record<string, string | Buffer> => {
  const { n, e } = published.export({ format: 'jwk' }) as { n: string; e: string };
  const pem = published.export({ type: 'spki', format: 'pem' }) as string;
  return {
    'the public key, PEM': pem,
    'the public key, PEM without its last line break': pem.trim(),
    'the public key, PEM in one line': pem.replaceAll('\n', ''),
    'the public key, DER': published.export({ type: 'spki', format: 'der' }),
    'the public key, PKCS 1 PEM': published.export({ type: 'pkcs1', format: 'pem' }) as string,
    'the public key, PKCS 1 DER': published.export({ type: 'pkcs1', format: 'der' }),
    'the JWK': JSON.stringify({ kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e }),
    n,
    'the bytes of n': Buffer.from(n, 'base64url'),
    'its kid': kid,
    'no secret': '',
    JWT_SECRET: secret,
    'the key of refresh tokens': keyring.current.derive('token:refresh'),
    'the key of MFA tokens': keyring.current.derive('token:mfa'),
  };
};

export const byHmac: Table = (workshop) =>
  ([256, 384, 512] as const).flatMap((bits) =>
    Object.entries(secretsOf(workshop)).map(([what, secret]) => ({
      name: `HS${bits} by ${what}`,
      token: assemble({ ...headerOf(workshop), alg: `HS${bits}` }, workshop.claims, hs(bits, secret)),
    })),
  );

const pss = (key: KeyObject) => ({ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });

export const otherAlgorithms: Table = (workshop) => {
  const { own, foreign, claims } = workshop;
  const by = (alg: string, signature: (text: string) => Buffer): Forgery => ({
    name: `alg ${alg}`,
    token: assemble({ ...headerOf(workshop), alg }, claims, signature),
  });
  const mixed = (name: string, signature: (text: string) => Buffer): Forgery => ({ ...by('RS256', signature), name });
  const bytes = Buffer.from;
  return [
    by('RS384', (text) => sign('RSA-SHA384', bytes(text), own)),
    by('RS512', (text) => sign('RSA-SHA512', bytes(text), own)),
    by('RS1', (text) => sign('RSA-SHA1', bytes(text), own)),
    by('PS256', (text) => sign('RSA-SHA256', bytes(text), pss(own))),
    by('PS384', (text) => sign('RSA-SHA384', bytes(text), pss(own))),
    by('PS512', (text) => sign('RSA-SHA512', bytes(text), pss(own))),
    by('ES256', (text) => sign('sha256', bytes(text), { key: foreign.ec, dsaEncoding: 'ieee-p1363' })),
    by('ES256K', (text) => sign('sha256', bytes(text), foreign.ec)),
    by('EdDSA', (text) => sign(null, bytes(text), foreign.ed)),
    by('Ed25519', (text) => sign(null, bytes(text), foreign.ed)),
    ...['rs256', 'Rs256', 'RS256 ', 'RSA-SHA256', 'RS256\0', 'RS2S6', 'dir', 'RSA-OAEP'].map((alg) =>
      by(alg, rs256(own)),
    ),
    mixed('RS256 that is RS384', (text) => sign('RSA-SHA384', bytes(text), own)),
    mixed('RS256 that is RS512', (text) => sign('RSA-SHA512', bytes(text), own)),
    mixed('RS256 that is PS256', (text) => sign('RSA-SHA256', bytes(text), pss(own))),
    mixed('RS256 that is HS256', hs(256, workshop.published.export({ type: 'spki', format: 'pem' }))),
    mixed('RS256 that is EdDSA', (text) => sign(null, bytes(text), foreign.ed)),
  ];
};
