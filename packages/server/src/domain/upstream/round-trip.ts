import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, uncount } from '../../platform/limiter/queries.ts';
import type { AuditInsert } from '../audit/queries.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import type { Claims } from '../kernel/claims.ts';
import type { IdentityRequest } from './adapter.ts';
import { Failed } from './failure.ts';
import type { Flow, OpenedFlow } from './flow.ts';
import { insertLimitedFailure, spendState } from './queries.ts';

export interface Ended<T> {
  /** Where the browser is sent after a success. */
  readonly redirect_to: string;
  readonly result: T | Failed;
}

interface RoundTrip<T> {
  readonly flow: OpenedFlow<Flow>;
  /** The request that identifies the user, or why none can be made; see `Adapter`. */
  readonly request: IdentityRequest | Failed;
  /** Signs the user in, or links the identity. */
  readonly finish: (claims: Claims) => Promise<T>;
  /** The name of the limits of failures, which apply per client network. */
  readonly limit: string;
  /** What a log line about a failure says, and its fields. */
  readonly log: { readonly what: string; readonly fields: Readonly<Record<string, string>> };
  readonly auditRow: (failed: Failed) => AuditInsert;
}

/** For a state that was not issued for this browser. Not audited: a client can invent any number of states. */
export const withoutFlow = (): Ended<never> => ({ redirect_to: '/', result: new Failed('invalid_state') });

/** Completes a flow at its callback. Consumes the state whatever the result. */
export async function completeRoundTrip<T>(deps: Deps, caller: Caller, trip: RoundTrip<T>): Promise<Ended<T>> {
  const { redirect_to } = trip.flow;
  try {
    return { redirect_to, result: await trip.finish(await askOnce(deps, caller, trip)) };
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    await reportFailure(deps, caller, trip, error);
    return { redirect_to, result: error };
  }
}

/**
 * 'asked' limits failed requests to a provider per client network, so that a flood is not passed on; 'audited' limits
 * audited failures. Separate, so that failures which cost the provider nothing do not block sign-in.
 */
const counterOf = (
  { limiter, config }: Deps,
  { network }: Caller,
  { limit }: Pick<RoundTrip<unknown>, 'limit'>,
  what: 'asked' | 'audited',
): Counter => limiter.counter(`${limit} ${what}`, network, config.LIMIT_OAUTH_PER_ADDRESS);

/**
 * Consumes the state, then sends the request to the provider. The request is counted before it is sent, and the count
 * is undone if it succeeds or is not sent, so that only failures remain.
 */
async function askOnce(deps: Deps, caller: Caller, trip: RoundTrip<unknown>): Promise<Claims> {
  const { db, clock } = deps;
  const { flow, request } = trip;
  const counter = counterOf(deps, caller, trip, 'asked');
  const counted = request instanceof Failed ? undefined : counter;
  const { unused, count, resets_at } = await spendState(db, flow, counted, clock.now());
  if (!unused) throw new Failed('invalid_state');
  if (request instanceof Failed) throw request;
  const isOver = (count ?? 0) > counter.quota.count;
  const claims = isOver ? undefined : await request();
  await uncount(db, counter, resets_at!);
  if (!claims) throw new Failed('rate_limited', {}, { retryAfter: secondsUntil(resets_at!, clock.now()) });
  return claims;
}

/** Audits the failure, up to the limit, and logs causes that an operator can fix. */
async function reportFailure(deps: Deps, caller: Caller, trip: RoundTrip<unknown>, failed: Failed): Promise<void> {
  const { request_id } = caller;
  const { what, fields } = trip.log;
  const { reason: cause } = failed;
  if (cause !== undefined) deps.log.warn({ ...fields, cause, request_id }, `${what} failed`);
  if (failed.failure === 'rate_limited' || failed.audited) return;
  const counter = counterOf(deps, caller, trip, 'audited');
  await insertLimitedFailure(deps.db, counter, trip.auditRow(failed), deps.clock.now());
}
