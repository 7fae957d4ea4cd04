import { createHmac, sign } from 'node:crypto';
import { issuerOf } from './brands.ts';
import { WORK_TENANT } from './microsoft.ts';
import type { FakePerson, Grant, ProviderState, TokenFault } from './types.ts';

type Claims = Record<string, unknown>;

const ANOTHER_CLIENT = 'another-client';
const ANOTHER_TENANT = '11111111-2222-4333-8444-555555555555';
const HOUR_SECONDS = 3600;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const standardClaims = ({ email, email_verified, name }: FakePerson): Claims => ({
  ...(email !== null && { email, email_verified }),
  ...(name !== null && { name }),
});

function rightClaims({ fake, brand, now }: ProviderState, { person: user, nonce }: Grant): Claims {
  const { url, settings, claims } = fake;
  const client_id = settings.public_config.client_id!;
  const iat = Math.floor(now().getTime() / 1000);
  return {
    iss: issuerOf(brand, url, user.tenant ?? WORK_TENANT),
    aud: client_id,
    sub: user.subject,
    iat,
    exp: iat + HOUR_SECONDS,
    nonce,
    ...(brand.claims?.(user, iat) ?? { azp: client_id, ...standardClaims(user) }),
    ...claims,
  };
}

function faultyClaims({ fake, brand, now }: ProviderState, fault: TokenFault | undefined, { aud }: Claims): Claims {
  const time = Math.floor(now().getTime() / 1000);
  const { url } = fake;
  // At Microsoft: a valid issuer, but of another tenant than `tid`.
  const iss = brand.tenants ? issuerOf(brand, url, ANOTHER_TENANT) : `${url}/another`;
  const overrides: Partial<Record<TokenFault, Claims>> = {
    nonce: { nonce: 'the-nonce-of-somebody-else' },
    no_nonce: { nonce: undefined },
    audience: { aud: ANOTHER_CLIENT, azp: undefined },
    two_audiences: { aud: [aud, ANOTHER_CLIENT], azp: ANOTHER_CLIENT },
    issuer: { iss },
    expired: { iat: time - 2 * HOUR_SECONDS, nbf: undefined, exp: time - HOUR_SECONDS },
    not_yet: { iat: time + HOUR_SECONDS, nbf: time + HOUR_SECONDS, exp: time + 2 * HOUR_SECONDS },
    no_subject: { sub: undefined },
  };
  return (fault && overrides[fault]) ?? {};
}

/** Returns undefined if the response has no id_token. */
export function mintIdToken(state: ProviderState, grant: Grant): string | undefined {
  const { keys, fake } = state;
  const fault = fake.token_fault;
  if (fault === 'missing') return undefined;
  if (fault === 'garbage') return 'this is.no.token';

  const { kid, privateKey, publicKey } = keys.current();
  const claims = rightClaims(state, grant);
  const payload = { ...claims, ...faultyClaims(state, fault, claims) };
  const signWith = (header: object, signer: (input: string) => string): string => {
    const input = `${encode(header)}.${encode(payload)}`;
    return `${input}.${signer(input)}`;
  };
  const rs256 =
    (key = privateKey) =>
    (input: string) =>
      sign('sha256', Buffer.from(input), key).toString('base64url');

  if (fault === 'none') return signWith({ alg: 'none', typ: 'JWT' }, () => '');
  if (fault === 'hs256' || fault === 'hs256_secret') {
    // Algorithm confusion: the HMAC key is the public key or the client secret.
    const known = fault === 'hs256' ? publicKey.export({ type: 'spki', format: 'pem' }) : fake.settings.secret;
    const hmac = (input: string) => createHmac('sha256', known).update(input).digest('base64url');
    return signWith({ alg: 'HS256', kid, typ: 'JWT' }, hmac);
  }
  if (fault === 'foreign_key') return signWith({ alg: 'RS256', kid, typ: 'JWT' }, rs256(keys.foreign.privateKey));
  if (fault === 'own_key') {
    const jwk = keys.foreign.publicKey.export({ format: 'jwk' });
    return signWith({ alg: 'RS256', kid, jwk, typ: 'JWT' }, rs256(keys.foreign.privateKey));
  }
  if (fault === 'no_signature') return signWith({ alg: 'RS256', kid, typ: 'JWT' }, () => '');
  if (fault === 'unknown_kid') return signWith({ alg: 'RS256', kid: 'never-published', typ: 'JWT' }, rs256());
  const right = signWith({ alg: 'RS256', kid, typ: 'JWT' }, rs256());
  if (fault !== 'tampered') return right;
  const [header, , signature] = right.split('.');
  return [header, encode({ ...payload, sub: 'somebody-else' }), signature].join('.');
}
