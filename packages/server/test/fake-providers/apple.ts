import { verify } from 'node:crypto';
import type { ProviderState, Quirks } from './types.ts';

const MAX_LIFE_SECONDS = 10 * 60;

export const appleQuirks: Quirks = {
  scopes: { required: ['name', 'email'], optional: ['openid'] },
  denial: { error: 'user_cancelled_authorize' },
  subject: '001999.af9b1a4e9d3c4f4e8c2c4a53f1e3b7aa.0815',
  formPost: true,
  companions: introduce,
  // Apple sends the boolean as a string, and never includes a name.
  claims: ({ email, email_verified }, iat) => ({
    ...(email !== null && { email, email_verified: String(email_verified) }),
    auth_time: iat,
    nonce_supported: true,
  }),
  secretProblem,
};

/** Returns the name and email, which Apple sends only once per user. */
function introduce({ introduced, fake: { person: account } }: ProviderState): Record<string, string> {
  if (introduced.has(account.subject)) return {};
  introduced.add(account.subject);
  const [firstName = '', ...rest] = account.name?.split(' ') ?? [];
  const user = {
    ...(account.name !== null && { name: { firstName, lastName: rest.join(' ') } }),
    ...(account.email !== null && { email: account.email }),
  };
  return { user: JSON.stringify(user) };
}

/** Apple's client secret is a JWT that the service signs with the saved key. */
function secretProblem({ fake, client_key, now }: ProviderState, jwt: string): string | undefined {
  const [header = '', payload = '', signature = '', ...rest] = jwt.split('.');
  const { client_id, team_id, key_id } = fake.settings.public_config;
  const { alg, kid } = jsonIn(header);
  const { iss, sub, aud, iat, exp } = jsonIn(payload);
  const time = now().getTime() / 1000;
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${payload}`),
    { key: client_key!.publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (rest.length > 0 || !isSigned) return 'the client_secret is not signed by the key';
  if (alg !== 'ES256' || kid !== key_id) return 'the header of the client_secret is wrong';
  if (iss !== team_id || sub !== client_id) return 'the client_secret is of somebody else';
  if (aud !== fake.url) return 'the client_secret is for somebody else';
  if (!Number.isInteger(iat) || !Number.isInteger(exp)) return 'the client_secret has no times';
  if (exp <= time || iat > time + 60) return 'the client_secret is not valid now';
  return exp - iat > MAX_LIFE_SECONDS ? 'the client_secret lives for too long' : undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a part of a JWT as it comes over the wire
function jsonIn(part: string): Record<string, any> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) ?? {};
  } catch {
    return {};
  }
}
