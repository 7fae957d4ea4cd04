import type { TokenResponse } from '@gatehouse/contract';
import type { ApplicationRow } from '../../../domain/applications/queries.ts';
import { recordAudit } from '../../../domain/audit/record.ts';
import type { Deps } from '../../../domain/context.ts';
import type { Caller } from '../../../domain/kernel/caller.ts';
import { TokenFailure } from '../../../domain/kernel/token-failure.ts';
import { effectiveScopes } from '../../../domain/oauth-server/grants/claims.ts';
import { endGrants } from '../../../domain/oauth-server/grants/end.ts';
import { type ApplicationGrant, isInTrustedBrowser } from '../../../domain/oauth-server/grants/queries.ts';
import type { Lifetimes } from '../../../domain/oauth-server/grants/redeem/queries.ts';
import { signGrantRefresh } from '../../../domain/oauth-server/grants/refresh-token.ts';
import { policyRefusal } from '../../../domain/policy/refusal.ts';
import { after } from '../../../platform/clock.ts';
import { commitAndFail, transact } from '../../../platform/db/transact.ts';
import type { TokenRequest } from '../token-grant.ts';

export const lifetimes = ({ config }: Deps): Lifetimes => ({
  access: config.ACCESS_TOKEN_TTL,
  refresh: config.REFRESH_TOKEN_TTL,
  family: config.SESSION_MAX_AGE,
});

export const invalidGrant = (description: string) => new TokenFailure('invalid_grant', description);

export function required(form: TokenRequest['form'], name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new TokenFailure('invalid_request', `${name}: is required`);
  return value;
}

/** Returns the latest time at which an access token of the grant may expire. */
export function endOf({ expires_at, sso_session_ends, auth_time, policy }: ApplicationGrant): Date {
  const max_age = policy?.session_max_age_seconds ?? null;
  const ends = [expires_at, sso_session_ends, max_age === null ? null : after(auth_time, max_age)];
  return ends.reduce((first, end) => (end !== null && end < first! ? end : first))!;
}

/**
 * docs/reference/oauth-server.md#end-of-a-grant: ends a grant if the policy of its organization no longer allows the
 * first factor of the sign-in that authorized it. Networks were checked at the authorization.
 */
export async function requirePolicy(
  deps: Deps,
  caller: Caller,
  { client_id }: ApplicationRow,
  grant: ApplicationGrant,
): Promise<void> {
  const { policy } = grant;
  if (policy === null) return;
  const now = deps.clock.now();
  const trusted_browser = policy.require_mfa && (await isInTrustedBrowser(deps.db, grant, now));
  const rule = policyRefusal(policy, { ...grant, trusted_browser }, now);
  if (rule === undefined) return;
  await transact(deps.db, async (tx) => {
    if ((await endGrants(tx, deps, { id: grant.id }, now)) > 0) {
      await recordAudit(tx, caller, {
        action: 'oauth.token.revoked',
        now,
        resource_type: 'application_grant',
        resource_id: grant.id,
        organization_id: grant.organization_id,
        actor_id: grant.user_id,
        metadata: { client_id, reason: 'policy' },
      });
    }
    return commitAndFail(invalidGrant(`the policy of the organization does not allow it: ${rule}`));
  });
}

interface Issue {
  readonly now: Date;
  readonly ends: Date;
  /** The id of the refresh token; undefined without `offline_access`. */
  readonly jti: string | undefined;
  readonly asked?: readonly string[] | null;
  readonly nonce?: string | null;
}

export async function respond(
  deps: Deps,
  application: ApplicationRow,
  grant: ApplicationGrant,
  { now, ends, jti, asked = null, nonce }: Issue,
): Promise<TokenResponse> {
  const scopes = effectiveScopes(grant, application).filter((scope) => asked === null || asked.includes(scope));
  const { client_id } = application;
  const issued = await deps.grantTokens.issue({ grant, client_id, scopes, nonce, now, ends });
  const { access_token, expires_in, id_token } = issued;
  return {
    access_token,
    token_type: 'Bearer',
    expires_in,
    scope: scopes.join(' '),
    ...(jti !== undefined && { refresh_token: signGrantRefresh(deps.keyring, { id: grant.id, jti }) }),
    ...(id_token !== undefined && { id_token }),
  };
}
