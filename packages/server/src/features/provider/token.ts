import { createHash } from 'node:crypto';
import type { TokenResponse } from '@gatehouse/contract';
import { v4 as randomUuid } from 'uuid';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import { auditRow, recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { effectiveScopes } from '../../domain/grants/claims.ts';
import { endGrants } from '../../domain/grants/end.ts';
import {
  extendGrant,
  findCode,
  findRefreshed,
  isInTrustedBrowser,
  type LiveGrant,
  type RefreshedGrant,
} from '../../domain/grants/queries.ts';
import { type Lifetimes, rotateGrant, useCode } from '../../domain/grants/redeem/queries.ts';
import { type GrantRefresh, readGrantRefresh, signGrantRefresh } from '../../domain/grants/refresh-token.ts';
import { addressCounters } from '../../domain/limits/address-counters.ts';
import { policyRefusal } from '../../domain/policy/refusal.ts';
import { RACE_SECONDS } from '../../domain/sessions/refresh/rotate.ts';
import { isSuccessor, successorOf } from '../../domain/sessions/refresh/token.ts';
import { TokenFailure } from '../../domain/token-failure.ts';
import type { Grant, TokenRequest } from '../../http/grant.ts';
import { after } from '../../platform/clock.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { commitAndFail, retry, transact } from '../../platform/db/transact.ts';
import { authenticateClient } from './client.ts';

const lifetimes = ({ config }: Deps): Lifetimes => ({
  access: config.ACCESS_TOKEN_TTL,
  refresh: config.REFRESH_TOKEN_TTL,
  family: config.SESSION_MAX_AGE,
});

const invalidGrant = (description: string) => new TokenFailure('invalid_grant', description);

function required(form: TokenRequest['form'], name: string): string {
  const value = form.get(name);
  if (value === undefined) throw new TokenFailure('invalid_request', `${name}: is required`);
  return value;
}

/** Authenticates and counts the client: a public one per address, so that others cannot use up its limit. */
async function admitClient(deps: Deps, caller: Caller, { client }: TokenRequest): Promise<ApplicationRow> {
  const application = await authenticateClient(deps, client);
  const { limiter } = deps;
  const { id, kind } = application;
  const quota = deps.config.LIMIT_APPLICATION_TOKENS;
  const counters =
    kind === 'web'
      ? [limiter.counter('application tokens', id, quota)]
      : addressCounters(limiter, caller, `application tokens ${id}`, quota);
  const { allowed, retryAfter } = await limiter.hit(...counters);
  if (!allowed) throw new TokenFailure('temporarily_unavailable', 'too many requests; try again later', { retryAfter });
  return application;
}

/** `grant_type=authorization_code`: consumes the code in one statement (RFC 6749, section 4.1.3; RFC 7636). */
async function exchangeCode(deps: Deps, caller: Caller, request: TokenRequest): Promise<TokenResponse> {
  const { form } = request;
  const application = await admitClient(deps, caller, request);
  const now = deps.clock.now();
  const hash = hashToken(required(form, 'code'));
  const redirect_uri = required(form, 'redirect_uri');
  const verifier = required(form, 'code_verifier');
  const resource = form.get('resource') ?? null;
  const { id: application_id, client_id } = application;
  const refresh_jti = randomUuid();
  const audit = auditRow(caller, {
    action: 'oauth.token.issued',
    now,
    resource_type: 'application_grant',
    resource_id: '',
    actor_id: application_id,
    metadata: { client_id },
  });
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const code_hash = `\\x${hash.toString('hex')}`;
  const use = { application_id, code_hash, redirect_uri, code_challenge, resource, refresh_jti, now };
  const isWellFormed = /^[\w.~-]{43,128}$/.test(verifier);
  const grant = isWellFormed
    ? await retry(() => useCode(deps.db, { ...audit, ...use, ...lifetimes(deps) }))
    : undefined;
  if (!grant) return rejectCode(deps, caller, { application, code_hash: hash, resource });
  await requirePolicy(deps, caller, application, grant);
  return respond(deps, application, grant, {
    now,
    ends: endOf(grant.offline ? grant : { ...grant, expires_at: grant.session_ends }),
    jti: grant.offline ? refresh_jti : undefined,
    nonce: grant.nonce,
  });
}

/** Returns the latest time at which an access token of the grant may expire. */
function endOf({ expires_at, sso_session_ends, auth_time, policy }: LiveGrant): Date {
  const max_age = policy?.session_max_age_seconds ?? null;
  const ends = [expires_at, sso_session_ends, max_age === null ? null : after(auth_time, max_age)];
  return ends.reduce((first, end) => (end !== null && end < first! ? end : first))!;
}

interface RejectedCode {
  readonly application: ApplicationRow;
  readonly code_hash: Buffer;
  readonly resource: string | null;
}

/** A code that its own client uses again may have been stolen: everything issued for it ends. */
function rejectCode(deps: Deps, caller: Caller, { application, code_hash, resource }: RejectedCode): Promise<never> {
  const now = deps.clock.now();
  return transact(deps.db, async (tx) => {
    const grant = await findCode(tx, { application_id: application.id, code_hash });
    if (grant && grant.code_used_at === null && resource !== null && grant.resource !== resource) {
      throw new TokenFailure('invalid_target', 'resource: must be the one of the authorization request');
    }
    if (grant && grant.code_used_at !== null && (await endGrants(tx, deps, { id: grant.id }, now)) > 0) {
      await recordAudit(tx, caller, {
        action: 'oauth.code.reused',
        now,
        resource_type: 'application_grant',
        resource_id: grant.id,
        organization_id: grant.organization_id,
        actor_id: null,
        outcome: 'failure',
        metadata: { client_id: application.client_id },
      });
    }
    return commitAndFail(invalidGrant('the code is not valid for this request'));
  });
}

/** `grant_type=refresh_token`: rotates the token in one statement; reuse is handled as in sessions (decision 15). */
async function refresh(deps: Deps, caller: Caller, request: TokenRequest): Promise<TokenResponse> {
  const { form } = request;
  const application = await admitClient(deps, caller, request);
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

/**
 * The contract, section 15: ends a grant if the policy of its organization no longer allows the first factor of the
 * sign-in that authorized it. Networks were checked at the authorization.
 */
async function requirePolicy(
  deps: Deps,
  caller: Caller,
  { client_id }: ApplicationRow,
  grant: LiveGrant,
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

interface Issue {
  readonly now: Date;
  readonly ends: Date;
  /** The id of the refresh token; undefined without `offline_access`. */
  readonly jti: string | undefined;
  readonly asked?: readonly string[] | null;
  readonly nonce?: string | null;
}

async function respond(
  deps: Deps,
  application: ApplicationRow,
  grant: LiveGrant,
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

/** Applications act for users only; service accounts have their own kind of client. */
async function refuseCredentials(deps: Deps, caller: Caller, request: TokenRequest): Promise<never> {
  await admitClient(deps, caller, request);
  throw new TokenFailure('unauthorized_client', 'an application cannot get tokens for itself');
}

export const applicationGrants: readonly Grant[] = [
  { grant_type: 'authorization_code', clients: 'application', handle: exchangeCode },
  { grant_type: 'refresh_token', clients: 'application', handle: refresh },
  { grant_type: 'client_credentials', clients: 'application', handle: refuseCredentials },
];
