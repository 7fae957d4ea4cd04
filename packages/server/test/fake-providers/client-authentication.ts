import { verify } from 'node:crypto';
import { issuerOf } from './brands.ts';
import type { ReceivedRequest } from './messages.ts';
import type { ProviderState } from './types.ts';

const MAX_LIFE = 10 * 60;

interface Presented {
  readonly client_id: string | undefined;
  readonly client_secret: string | undefined;
}

const formDecode = (value: string): string => decodeURIComponent(value.replaceAll('+', ' '));

function basicOf(authorization: string): Presented {
  const [scheme, credentials = ''] = authorization.split(' ');
  if (scheme?.toLowerCase() !== 'basic') return { client_id: undefined, client_secret: undefined };
  const [client_id = '', client_secret = ''] = Buffer.from(credentials, 'base64').toString().split(':');
  return { client_id: formDecode(client_id), client_secret: formDecode(client_secret) };
}

/** What is wrong with how the service says who it is; undefined: nothing. */
export function clientProblem(state: ProviderState, { form = {}, headers }: ReceivedRequest): string | undefined {
  const { provider, settings } = state.fake;
  const isBasic = headers.authorization !== undefined;
  if (isBasic && form.client_secret !== undefined) return 'the client authenticates twice';
  const presented: Presented = isBasic
    ? basicOf(headers.authorization!)
    : { client_id: form.client_id, client_secret: form.client_secret };
  if (presented.client_id !== settings.public_config.client_id) return 'the client_id is another';
  if (provider === 'oauth_d') return assertionProblem(state, presented.client_secret ?? '');
  return presented.client_secret === settings.secret ? undefined : 'the client_secret is wrong';
}

/** Apple's client secret is a JWT that the service signs with the key the admin saved. */
function assertionProblem({ fake, client_key, now }: ProviderState, jwt: string): string | undefined {
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
  if (aud !== issuerOf(fake.provider, fake.url)) return 'the client_secret is for somebody else';
  if (!Number.isInteger(iat) || !Number.isInteger(exp)) return 'the client_secret has no times';
  if (exp <= time || iat > time + 60) return 'the client_secret is not valid now';
  return exp - iat > MAX_LIFE ? 'the client_secret lives for too long' : undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: a part of a JWT as it comes over the wire
function jsonIn(part: string): Record<string, any> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) ?? {};
  } catch {
    return {};
  }
}
