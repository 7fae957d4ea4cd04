import type { Introspection } from '@gatehouse/contract';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { TokenFailure } from '../../domain/kernel/token-failure.ts';
import { effectiveScopes } from '../../domain/oauth-server/grants/claims.ts';
import { endGrants } from '../../domain/oauth-server/grants/end.ts';
import { findGrantOwner, findRefreshed } from '../../domain/oauth-server/grants/queries.ts';
import { readGrantRefresh } from '../../domain/oauth-server/grants/refresh-token.ts';
import { issuerOf } from '../../domain/oauth-server/grants/tokens.ts';
import { seconds } from '../../platform/clock.ts';
import { transact } from '../../platform/db/transact.ts';
import { authenticateClient } from './client.ts';
import type { ClientCredentials } from './token-grant.ts';

interface Asked {
  readonly client: ClientCredentials;
  readonly token: string | undefined;
}

async function admitted(deps: Deps, { client, token }: Asked): Promise<{ application: ApplicationRow; token: string }> {
  const application = await authenticateClient(deps, client);
  if (token === undefined) throw new TokenFailure('invalid_request', 'token: is required');
  return { application, token };
}

/** POST /oauth/introspect (RFC 7662): describes the client's own tokens; tokens of other clients are not active. */
export async function introspect(deps: Deps, asked: Asked): Promise<Introspection> {
  const { application, token } = await admitted(deps, asked);
  return (
    (await describeAccess(deps, application, token)) ??
    (await describeRefresh(deps, application, token)) ?? { active: false }
  );
}

async function describeAccess(
  deps: Deps,
  application: ApplicationRow,
  token: string,
): Promise<Introspection | undefined> {
  const claims = deps.grantTokens.verify(token);
  const grant = claims?.client_id === application.client_id ? await deps.grants.find(claims.sid) : undefined;
  if (!claims || !grant) return undefined;
  const scope = effectiveScopes({ ...grant, scopes: claims.scope.split(' ') }, application).join(' ');
  return { active: true, token_type: 'Bearer', ...claims, scope };
}

async function describeRefresh(
  deps: Deps,
  application: ApplicationRow,
  token: string,
): Promise<Introspection | undefined> {
  const refresh = readGrantRefresh(deps.keyring, token);
  const which = refresh && { ...refresh, application_id: application.id, now: deps.clock.now() };
  const grant = which && (await findRefreshed(deps.db, which));
  if (!grant || grant.refresh_jti !== refresh?.jti) return undefined;
  return {
    active: true,
    token_type: 'refresh_token',
    scope: effectiveScopes(grant, application).join(' '),
    client_id: application.client_id,
    sub: grant.user_id,
    iss: issuerOf(deps.config),
    org: grant.organization_id,
    sid: grant.id,
    exp: seconds(grant.expires_at),
  };
}

/** POST /oauth/revoke (RFC 7009): either token ends the grant. Nothing happens for a token of another client. */
export async function revokeToken(deps: Deps, caller: Caller, asked: Asked): Promise<void> {
  const { application, token } = await admitted(deps, asked);
  const claims = deps.grantTokens.verify(token);
  const id = claims?.sid ?? readGrantRefresh(deps.keyring, token)?.id;
  if (id === undefined) return;
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const which = { id, application_id: application.id };
    if ((await endGrants(tx, deps, which, now)) === 0) return;
    const { user_id, organization_id } = await findGrantOwner(tx, id);
    await recordAudit(tx, caller, {
      action: 'oauth.token.revoked',
      now,
      resource_type: 'application_grant',
      resource_id: id,
      organization_id,
      actor_id: user_id,
      metadata: { client_id: application.client_id },
    });
  });
}
