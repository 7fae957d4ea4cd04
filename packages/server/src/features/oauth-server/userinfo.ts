import type { Deps } from '../../domain/context.ts';
import { claimsOf, effectiveScopes } from '../../domain/oauth-server/grants/claims.ts';
import { userinfoOf } from '../../domain/oauth-server/grants/tokens.ts';

type Userinfo =
  | { readonly claims: Record<string, unknown> }
  | { readonly error: 'invalid_token' | 'insufficient_scope'; readonly description: string };

/** GET and POST /oauth/userinfo (OpenID Connect Core, section 5.3): accepts only tokens issued for this endpoint. */
export async function userinfo(deps: Deps, token: string | undefined): Promise<Userinfo> {
  const claims = token === undefined ? undefined : deps.grantTokens.verify(token);
  const isForUs = claims?.aud === userinfoOf(deps.config);
  const grant = claims && isForUs ? await deps.grants.find(claims.sid) : undefined;
  if (!claims || !grant) return { error: 'invalid_token', description: 'the access token is missing or not valid' };
  const application = await deps.applications.find(claims.client_id);
  const scopes = effectiveScopes({ ...grant, scopes: claims.scope.split(' ') }, application);
  if (!scopes.includes('openid')) return { error: 'insufficient_scope', description: 'the scope openid is required' };
  return { claims: { sub: claims.sub, ...claimsOf(deps.config, grant, scopes) } };
}
