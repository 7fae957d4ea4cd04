import { type MfaRequired, NIL_UUID, type SsoTestResult } from '@gatehouse/contract';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SignedIn } from '../../domain/sign-in/complete.ts';
import { ssoCallbackUrl } from '../../domain/sso/callback-url.ts';
import { findConnection, type UsableConnection } from '../../domain/sso/connection.ts';
import { type OpenedSsoFlow, openSsoFlow } from '../../domain/sso/flow.ts';
import { identifyAt, type SsoClaims } from '../../domain/sso/provider.ts';
import { SsoProviderError } from '../../domain/sso/provider-error.ts';
import { finishTest } from '../../domain/sso/test-round.ts';
import { askOnce } from '../../domain/upstream/ask-once.ts';
import { Failed, isCode, refusedBy } from '../../domain/upstream/failure.ts';
import { insertLimitedFailure, spendState } from '../../domain/upstream/queries.ts';
import type { Counter } from '../../platform/limiter/queries.ts';
import { signIn } from './sign-in.ts';
import { noSuchConnection } from './start.ts';

type Query = Readonly<Record<string, unknown>>;

interface CallbackRequest {
  readonly connection_id: string;
  readonly query: Query;
  /** Value of the flow cookie. */
  readonly browser: string | undefined;
}

interface Ended {
  readonly redirect_to: string;
  readonly result: SignedIn | MfaRequired | Failed;
}

interface Tested {
  readonly redirect_to: string;
  readonly tested: SsoTestResult;
}

/** Returns undefined unless the state was issued by this service for this browser. */
const flowOf = (deps: Deps, { query: { state }, browser }: CallbackRequest): OpenedSsoFlow | undefined =>
  typeof state === 'string' && browser !== undefined
    ? openSsoFlow(deps.keyring, state, browser, deps.clock.now())
    : undefined;

/**
 * GET /auth/sso/:connection_id/callback: code and state → session or pending sign-in. The state is consumed even if the
 * sign-in fails. A state that was not issued for this browser is not audited, because a client could send any number of
 * them.
 */
export async function callback(deps: Deps, caller: Caller, given: CallbackRequest): Promise<Ended | Tested> {
  const flow = flowOf(deps, given);
  if (flow?.test && flow.connection_id === given.connection_id) return endTest(deps, caller, flow, given.query);
  const connection = await findConnection(deps, given.connection_id);
  if (!connection?.active) throw noSuchConnection();
  if (!flow) return { redirect_to: '/', result: new Failed('invalid_state') };
  const { redirect_to, locale = null } = flow;
  try {
    const claims = await askOnce(deps, {
      flow,
      counter: limitOf(deps, caller, connection, 'asked'),
      ask: requestOf(deps, connection, flow, given.query),
    });
    return { redirect_to, result: await signIn(deps, caller, connection, { claims, locale }) };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    await logFailed(deps, caller, connection, error);
    return { redirect_to, result: error };
  }
}

async function endTest(deps: Deps, caller: Caller, flow: OpenedSsoFlow, query: Query): Promise<Ended | Tested> {
  const { redirect_to } = flow;
  const { unused } = await spendState(deps.db, flow, undefined, deps.clock.now());
  if (!unused) return { redirect_to, result: new Failed('invalid_state') };
  return { redirect_to, tested: await finishTest(deps, caller, flow, query) };
}

/**
 * `asked` limits failed requests to the provider, `refused` audited failures, each per client network and connection,
 * so that a provider that is down does not block the users of another one.
 */
const limitOf = (
  { limiter, config }: Deps,
  { network }: Caller,
  { id }: UsableConnection,
  what: 'asked' | 'refused',
): Counter => limiter.counter(`sso ${what} ${id}`, network, config.LIMIT_OAUTH_PER_ADDRESS);

function requestOf(
  deps: Deps,
  connection: UsableConnection,
  flow: OpenedSsoFlow,
  { code, error, iss }: Query,
): (() => Promise<SsoClaims>) | Failed {
  // The state belongs to another connection, or to settings from before a change.
  if (flow.connection_id !== connection.id || flow.settings_id !== connection.settings_id || flow.test) {
    return new Failed('invalid_state');
  }
  // RFC 9207: responses of another issuer are rejected, including error responses.
  if (iss !== undefined && iss !== connection.issuer) return new Failed('invalid_state');
  if (error !== undefined) return refusedBy(error);
  if (!isCode(code)) return new Failed('provider_error', {}, { cause: 'no_code' });
  const { nonce, code_verifier } = flow;
  const redirect_uri = ssoCallbackUrl(deps.config, connection.id);
  return () =>
    identifyAt(deps, connection, { code, nonce, code_verifier, redirect_uri, iss }).catch((failure: unknown) => {
      if (!(failure instanceof SsoProviderError)) throw failure;
      throw new Failed('provider_error', {}, { cause: failure.cause });
    });
}

/** Audits the failure, up to the limit, and logs causes that an operator can fix. */
async function logFailed(deps: Deps, caller: Caller, connection: UsableConnection, failed: Failed): Promise<void> {
  const { id: connection_id, organization_id } = connection;
  const { failure, reason: cause, about } = failed;
  const { request_id } = caller;
  if (cause !== undefined) deps.log.warn({ connection_id, cause, request_id }, 'a single sign-on failed');
  if (failure === 'rate_limited' || failed.audited) return;
  const now = deps.clock.now();
  const row = auditRow(caller, {
    action: 'auth.sso.refused',
    now,
    resource_type: 'user',
    resource_id: about.user_id ?? NIL_UUID,
    // This subject is not linked to the account, so the account's user has not acted.
    actor_id: failure === 'identity_in_use' ? null : (about.user_id ?? null),
    organization_id,
    outcome: 'failure',
    metadata: { connection_id, reason: failure },
  });
  await insertLimitedFailure(deps.db, limitOf(deps, caller, connection, 'refused'), row, now);
}
