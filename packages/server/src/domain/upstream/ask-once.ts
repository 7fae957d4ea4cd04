import { secondsUntil } from '../../platform/limiter/limiter.ts';
import { type Counter, uncount } from '../../platform/limiter/queries.ts';
import type { Deps } from '../context.ts';
import { Failed } from './failure.ts';
import { spendState } from './queries.ts';

interface Callback<T> {
  /** The flow that the `state` parameter names; its state is consumed. */
  readonly flow: { readonly id: Buffer; readonly expires_at: Date };
  /** Limits failed requests, so that a flood of callbacks does not reach the provider. */
  readonly counter: Counter;
  /** The request to the provider, or the reason why none can be sent. */
  readonly ask: (() => Promise<T>) | Failed;
}

/**
 * Consumes the state, then sends the request to the provider. The request is counted before it is sent, and the count
 * is undone if it succeeds or is not sent, so that only failures remain.
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
