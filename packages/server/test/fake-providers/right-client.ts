import { createHash, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { OAUTH_PROVIDERS } from '@gatehouse/contract';
import { isOpenId } from '../../src/domain/provider-settings/definition.ts';
import { definitionOf } from '../../src/domain/provider-settings/list.ts';
import { settingPrefix } from '../../src/platform/config/settings.ts';
import { brandOf } from './brands.ts';
import type { FakeProvider } from './types.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies as they come over the wire
export type Json = any;

/** The providers that identify a user by an id_token. */
export const OIDC = OAUTH_PROVIDERS.filter((provider) => isOpenId(definitionOf(provider)));

/** The endpoints of every provider that the service itself sends requests to. */
export const REQUESTED = (['token', 'jwks', 'userinfo', 'emails'] as const).flatMap((at) =>
  OAUTH_PROVIDERS.filter((provider) => brandOf(definitionOf(provider)).paths[at]).map(
    (provider) => [provider, at] as const,
  ),
);

export const NOW = new Date('2030-01-15T12:00:00.000Z');

export const random = () => randomBytes(32).toString('base64url');
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part = ''): Json => JSON.parse(Buffer.from(part, 'base64url').toString());
export const addressOf = ({ provider, environment }: FakeProvider, name: string) =>
  environment[`${settingPrefix(provider)}_${name}`]!.replace('{tenant}', 'common');

export function begin(fake: FakeProvider, changes: Record<string, string> = {}) {
  const verifier = random();
  const kept = { verifier, state: random(), nonce: random() };
  const redirect_uri = `https://id.example.com/v1/auth/oauth/${fake.provider}/callback`;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: fake.settings.public_config.client_id!,
    redirect_uri,
    state: kept.state,
    ...definitionOf(fake.provider).authorization,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(OIDC.includes(fake.provider) && { nonce: kept.nonce }),
    ...changes,
  });
  return { ...kept, redirect_uri, url: `${addressOf(fake, 'AUTHORIZATION_URL')}?${query}` };
}

export function clientSecret({ settings, provider, url }: FakeProvider, changes: object = {}): string {
  if (definitionOf(provider).secret !== 'pem') return settings.secret;
  const { client_id, team_id, key_id } = settings.public_config;
  const iat = NOW.getTime() / 1000;
  const claims = { iss: team_id, sub: client_id, aud: url, iat, exp: iat + 300, ...changes };
  const input = `${encode({ alg: 'ES256', kid: key_id })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key: settings.secret, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

export async function consent(fake: FakeProvider) {
  const flow = begin(fake);
  const { callback_url, form } = await fake.authorize(flow.url);
  const fields = form ?? Object.fromEntries(new URL(callback_url).searchParams);
  const exchange = {
    grant_type: 'authorization_code',
    code: fields.code!,
    redirect_uri: flow.redirect_uri,
    code_verifier: flow.verifier,
    client_id: fake.settings.public_config.client_id!,
    client_secret: clientSecret(fake),
  };
  return { ...flow, callback_url, fields, exchange };
}

export async function post(fake: FakeProvider, form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(addressOf(fake, 'TOKEN_URL'), {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body: new URLSearchParams(form),
  });
  return { status: response.status, json: (await response.json()) as Json };
}

export async function get(url: string, access_token: string): Promise<Json> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${access_token}` } });
  return response.json();
}

export async function verified(fake: FakeProvider, id_token: string): Promise<Json> {
  const { keys } = (await (await fetch(addressOf(fake, 'JWKS_URL'))).json()) as Json;
  const [header, payload, signature] = id_token.split('.');
  const { alg, kid } = decode(header);
  const jwk = keys.find((key: Json) => key.kid === kid);
  const input = Buffer.from(`${header}.${payload}`);
  const isRight =
    alg === 'RS256' &&
    jwk &&
    verify('sha256', input, createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(signature!, 'base64url'));
  return isRight ? decode(payload) : undefined;
}
