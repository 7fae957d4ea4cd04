import { createHmac } from 'node:crypto';
import type { Deps } from '../../domain/context.ts';
import { addressOf, nameOf } from '../../domain/identities/claims.ts';
import type { KeySets, PublicJwk } from '../../domain/providers/key-sets.ts';
import type { ProviderSettings } from '../../domain/providers/resolve.ts';
import { OutboundError, request } from '../../platform/outbound.ts';
import { type Exchange, exchangeCode, exchangeWith, type Tokens } from './exchange.ts';
import { type ExternalIdentity, ProviderFailure, subjectOf } from './external-identity.ts';
import type { OpenedFlow } from './flow.ts';

/** Asks the provider who came back with this code. Rejects when its answer cannot be used, or none comes. */
export async function identify(
  deps: Deps,
  flow: OpenedFlow,
  settings: ProviderSettings,
  code: string,
): Promise<ExternalIdentity> {
  const exchange = exchangeWith(deps, flow, settings);
  const tokens = await exchangeCode(deps, exchange, code);
  if (flow.provider === 'oauth_b') return fromGitHub(exchange, tokens);
  if (flow.provider === 'oauth_e') return fromFacebook(exchange, tokens);
  await verifySignature(deps.keySets, exchange, tokens);
  return fromClaims(exchange, tokens);
}

/** The id_token came to us from the provider itself; all the same it must be signed by a key that the provider publishes. */
async function verifySignature(keySets: KeySets, { endpoints }: Exchange, tokens: Tokens): Promise<void> {
  const jose = await import('jose');
  const { kid } = jose.decodeProtectedHeader(tokens.id_token!);
  const jwk = kid === undefined ? undefined : await findKey(keySets, endpoints.jwks, kid);
  if (!jwk || !maySign(jwk, tokens)) throw new ProviderFailure('unknown_key');
  await jose.compactVerify(tokens.id_token!, await jose.importJWK(jwk, 'RS256'), { algorithms: ['RS256'] });
}

const findKey = (keySets: KeySets, url: string, kid: string) =>
  keySets.find(url, kid).catch((error: unknown) => {
    throw error instanceof OutboundError ? error : new ProviderFailure('no_keys');
  });

/** Microsoft says of a key whose tokens it signs: those of one tenant, or of each. */
const maySign = ({ issuer: whose }: PublicJwk, { issuer, claims }: Tokens): boolean =>
  whose === undefined || (typeof whose === 'string' && whose.replaceAll('{tenantid}', String(claims.tid)) === issuer);

/** Apple writes it as text, and Microsoft in any way. */
const VERIFIED: ReadonlySet<unknown> = new Set([true, 'true']);
const EDOV: ReadonlySet<unknown> = new Set([true, 'true', 1, '1']);

function fromClaims({ provider }: Exchange, { claims, issuer }: Tokens): ExternalIdentity {
  return {
    provider,
    issuer,
    subject: subjectOf(claims.sub),
    // The contract, section 5: of Microsoft's, only what the owner of the domain has verified.
    ...addressOf(
      claims.email,
      provider === 'oauth_c' ? EDOV.has(claims.xms_edov) : VERIFIED.has(claims.email_verified),
    ),
    name: nameOf(claims.name),
  };
}

/** The profile's own email is what somebody typed there; the list says which one is theirs. */
async function fromGitHub({ provider, endpoints }: Exchange, { access_token, issuer }: Tokens) {
  const [user, emails] = await Promise.all([
    fetchJson(endpoints.userinfo, access_token),
    fetchJson(`${endpoints.userinfo.replace(/\/+$/, '')}/emails`, access_token),
  ]);
  const { id, name, login } = record(user);
  if (!Array.isArray(emails)) throw new ProviderFailure('no_list');
  const primary = emails.map(record).find((entry) => entry.primary === true && entry.verified === true);
  const address = addressOf(primary?.email, true);
  return { provider, issuer, subject: subjectOf(id), ...address, name: nameOf(name) ?? nameOf(login) };
}

/** The contract, section 5: Facebook says nothing about an email being verified. The proof shows that it is we who ask. */
async function fromFacebook({ provider, endpoints, settings }: Exchange, { access_token, issuer }: Tokens) {
  const url = new URL(endpoints.userinfo);
  url.searchParams.set('fields', 'id,name,email');
  url.searchParams.set('appsecret_proof', createHmac('sha256', settings.secret).update(access_token).digest('hex'));
  const { id, name, email } = record(await fetchJson(url.href, access_token));
  return { provider, issuer, subject: subjectOf(id), ...addressOf(email, false), name: nameOf(name) };
}

async function fetchJson(url: string, access_token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${access_token}`, accept: 'application/json', 'user-agent': 'gatehouse' };
  const { status, body } = await request(url, { method: 'GET', headers });
  if (status !== 200) throw new ProviderFailure(`http_${status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ProviderFailure('broken_json');
  }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
