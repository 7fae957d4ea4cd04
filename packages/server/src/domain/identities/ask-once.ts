import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, uncount } from '../../platform/limiter/queries.ts';
import type { Deps } from '../context.ts';
import { Failed } from './failure.ts';
import { spendState } from './queries.ts';

interface Callback<T> {
  /** The state, which is consumed. */
  readonly flow: { readonly id: Buffer; readonly expires_at: Date };
  /** Limits failed requests, so that a flood is not passed on to the provider. */
  readonly counter: Counter;
  /** The request to the provider, or why none can be made. */
  readonly ask: (() => Promise<T>) | Failed;
}

/**
 * Consumes the state, and counts the request to the provider before it is sent; the count of a successful or skipped
 * request is taken back.
 */
export async function askOnce<T>({ db, clock }: Deps, { flow, counter, ask }: Callback<T>): Promise<T> {
  const counted = ask instanceof Failed ? undefined : counter;
  const { unused, count, resets_at } = await spendState(db, flow, counted, clock.now());
  if (!unused) throw new Failed('invalid_state');
  if (ask instanceof Failed) throw ask;
  const isOver = (count ?? 0) > counter.quota.count;
  const answer = isOver ? undefined : { of: await ask() };
  await uncount(db, counter, resets_at!);
  if (!answer) throw new Failed('rate_limited', {}, { retryAfter: secondsUntil(resets_at!, clock.now()) });
  return answer.of;
}
