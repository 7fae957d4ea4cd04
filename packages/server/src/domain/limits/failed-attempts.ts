import { type ErrorCode, LIMITS, NIL_UUID } from '@gatehouse/contract';
import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, findFullUntil } from '../../platform/limiter/queries.ts';
import { auditRow } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { ServiceError, tooManyWrong } from '../kernel/service-error.ts';
import { isTrustedBrowser, isTrustedBrowserOf } from '../trusted-browsers/queries.ts';
import { addressCounters } from './address-counters.ts';
import { type Alarm, insertFailedAttempt } from './queries.ts';

const { window } = LIMITS.failuresPerAddress;

/**
 * docs/reference/http.md#failed-attempts: counters of the failed attempts of one client address, over all accounts and
 * all endpoints that take a credential without a session. Empty when they are not counted.
 */
export function failureCounters({ limiter, config }: Deps, caller: Caller): Counter[] {
  const { FAILURES_PER_ADDRESS: count, NODE_ENV } = config;
  if (count === 0 || (NODE_ENV !== 'production' && caller.is_local)) return [];
  return addressCounters(limiter, caller, 'failures', { count, window });
}

/** One audit row per counter, which the failed attempt that fills the counter writes. */
export const alarmsOf = ({ clock }: Deps, caller: Caller, counters: readonly Counter[]): Alarm[] =>
  counters.map((counter, index) => ({
    counter,
    row: auditRow(caller, {
      action: 'abuse.limited',
      now: clock.now(),
      resource_type: 'network',
      resource_id: (index === 0 ? caller.network : caller.wider_network) ?? caller.network,
      actor_id: null,
      organization_id: NIL_UUID,
      outcome: 'failure',
      metadata: { failures: counter.quota.count, window_seconds: window },
    }),
  }));

/** Counts a failed attempt that writes nothing else. Does nothing once the address is limited. */
export async function countFailedAttempt(deps: Deps, caller: Caller): Promise<void> {
  const counters = failureCounters(deps, caller);
  if (counters.length > 0) await insertFailedAttempt(deps.db, alarmsOf(deps, caller, counters), deps.clock.now());
}

/** Returns until when requests of this client address are rejected, or null if they are not. */
async function findLimitedUntil(deps: Deps, caller: Caller): Promise<Date | null> {
  const counters = failureCounters(deps, caller);
  return counters.length > 0 ? findFullUntil(deps.db, counters, deps.clock.now()) : null;
}

/**
 * Called for a request that failed validation, before the 400: throws `refusal` over the limit. Such a request may not
 * name an account, so a browser that any account trusts is exempt.
 */
export async function requireAttemptsLeft(
  deps: Deps,
  caller: Caller,
  trust_hash: Buffer | undefined,
  refusal: (retryAfter: number) => ServiceError = tooManyWrong,
): Promise<void> {
  const now = deps.clock.now();
  const full_until = await findLimitedUntil(deps, caller);
  if (full_until === null || (trust_hash && (await isTrustedBrowser(deps.db, trust_hash, now)))) return;
  throw refusal(secondsUntil(full_until, now));
}

interface TokenSearch<Found> {
  /** Rejects with a ServiceError of the code `refusal` for an invalid token. */
  readonly find: () => Promise<Found>;
  readonly refusal: ErrorCode;
  /** The id of the account that the token belongs to, if any. */
  readonly ownerOf: (found: Found) => string | null;
  readonly trust_hash: Buffer | undefined;
}

/** Counts an invalid token. Throws 429 over the limit, except in a trusted browser of the account of the token. */
export async function findByToken<Found>(deps: Deps, caller: Caller, search: TokenSearch<Found>): Promise<Found> {
  const { db, clock } = deps;
  const full_until = await findLimitedUntil(deps, caller);
  if (full_until === null) return findAndCount(deps, caller, search);
  const { find, ownerOf, trust_hash } = search;
  const found = trust_hash && (await find().catch(ignoreServiceError));
  const owner = found === undefined ? null : ownerOf(found);
  const isTrusted =
    trust_hash &&
    owner !== null &&
    (await isTrustedBrowserOf(db, { token_hash: trust_hash, user_id: owner }, clock.now()));
  if (!isTrusted) throw tooManyWrong(secondsUntil(full_until, clock.now()));
  return found!;
}

async function findAndCount<Found>(deps: Deps, caller: Caller, { find, refusal }: TokenSearch<Found>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ServiceError && error.code === refusal) await countFailedAttempt(deps, caller);
    throw error;
  }
}

function ignoreServiceError(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}
