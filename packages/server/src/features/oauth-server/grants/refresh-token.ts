import type { TokenResponse } from '@gatehouse/contract';
import type { ApplicationRow } from '../../../domain/applications/queries.ts';
import { recordAudit } from '../../../domain/audit/record.ts';
import type { Deps } from '../../../domain/context.ts';
import type { Caller } from '../../../domain/kernel/caller.ts';
import { TokenFailure } from '../../../domain/kernel/token-failure.ts';
import { endGrants } from '../../../domain/oauth-server/grants/end.ts';
import { extendGrant, findRefreshed, type RefreshedGrant } from '../../../domain/oauth-server/grants/queries.ts';
import { rotateGrant } from '../../../domain/oauth-server/grants/redeem/queries.ts';
import { type GrantRefresh, readGrantRefresh } from '../../../domain/oauth-server/grants/refresh-token.ts';
import { RACE_SECONDS } from '../../../domain/sessions/refresh/rotate.ts';
import { isSuccessor, successorOf } from '../../../domain/sessions/refresh/token.ts';
import { after } from '../../../platform/clock.ts';
import { commitAndFail, retry, transact } from '../../../platform/db/transact.ts';
import type { TokenGrant, TokenRequest } from '../token-grant.ts';
import { admitApplication } from './application.ts';
import { endOf, invalidGrant, lifetimes, required, requirePolicy, respond } from './grant-response.ts';

/** `grant_type=refresh_token`: rotates the token in one statement; reuse is handled as in sessions (decision 15). */
async function refresh(deps: Deps, caller: Caller, request: TokenRequest): Promise<TokenResponse> {
  const { form } = request;
  const application = await admitApplication(deps, caller, request);
  const now = deps.clock.now();
  const token = readGrantRefresh(deps.keyring, required(form, 'refresh_token'));
  if (!token) throw invalidGrant('the refresh token is not valid');
  const asked =
    form
      .get('scope')
      ?.split(' ')
      .filter((scope) => scope !== '') ?? null;
  const next_jti = successorOf(deps.keyring, token.jti);
  const use: Use = { ...token, application_id: application.id, resource: form.get('resource') ?? null, scopes: asked };
  const grant = await retry(() => rotateGrant(deps.db, { ...use, next_jti, now, ...lifetimes(deps) }));
  if (grant) {
    await requirePolicy(deps, caller, application, grant);
    return respond(deps, application, grant, { now, ends: endOf(grant), jti: next_jti, asked });
  }
  return answerSpent(deps, caller, application, use);
}

interface Use extends GrantRefresh {
  readonly application_id: string;
  readonly resource: string | null;
  /** The scopes of this access token, if the client wants fewer than the grant has. */
  readonly scopes: readonly string[] | null;
}

async function answerSpent(deps: Deps, caller: Caller, application: ApplicationRow, use: Use): Promise<TokenResponse> {
  const now = deps.clock.now();
  const spent = await findRefreshed(deps.db, { ...use, now });
  if (!spent) throw invalidGrant('the refresh token is not valid');
  const error = parameterError(spent, use);
  if (spent.refresh_jti === use.jti) throw error ?? resourceLost();
  const usedWithin = (seconds: number) => spent.used_at !== null && after(spent.used_at, seconds) > now;
  const grace = deps.config.REFRESH_GRACE_SECONDS;
  if (grace > 0 && usedWithin(grace) && isSuccessor(deps.keyring, use.jti, spent.refresh_jti)) {
    if (error) throw error;
    const successor = { id: use.id, jti: spent.refresh_jti, now, access: deps.config.ACCESS_TOKEN_TTL };
    const grant = await extendGrant(deps.db, successor);
    if (grant) {
      await requirePolicy(deps, caller, application, grant);
      return respond(deps, application, grant, { now, ends: endOf(grant), jti: successor.jti, asked: use.scopes });
    }
  }
  if (usedWithin(RACE_SECONDS)) throw invalidGrant('this refresh token has just been used');
  return transact(deps.db, async (tx) => {
    if ((await endGrants(tx, deps, { id: use.id }, now)) > 0) {
      await recordAudit(tx, caller, {
        action: 'auth.refresh.reuse_detected',
        now,
        resource_type: 'application_grant',
        resource_id: use.id,
        organization_id: spent.organization_id,
        actor_id: null,
        outcome: 'failure',
        metadata: {},
      });
    }
    return commitAndFail(invalidGrant('the refresh token was used before'));
  });
}

const resourceLost = () => new TokenFailure('invalid_target', 'the resource is no longer allowed for this application');

/** The error for a valid refresh token if the request differs from the grant in scope or resource. */
function parameterError({ resource, resource_allowed, scopes }: RefreshedGrant, use: Use): TokenFailure | undefined {
  if (use.scopes?.some((scope) => !scopes.includes(scope))) {
    return new TokenFailure('invalid_scope', 'scope: must not contain more than the authorization request');
  }
  if (use.resource !== null && use.resource !== resource) {
    return new TokenFailure('invalid_target', 'resource: must be the one of the authorization request');
  }
  return resource_allowed ? undefined : resourceLost();
}

export const refreshToken: TokenGrant = { grant_type: 'refresh_token', clients: 'application', handle: refresh };
