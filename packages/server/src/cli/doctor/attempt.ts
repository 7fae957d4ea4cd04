import { setTimeout as sleep } from 'node:timers/promises';
import { serializeError } from '../../platform/log.ts';
import { CommandFailure } from '../support/failure.ts';
import { printable } from '../support/text.ts';
import { command, type Finding, warning } from './finding.ts';

/** What comes of a check: one finding, several, or none when there is nothing to say. */
export type Outcome = Finding | readonly Finding[];

interface TimeLimit {
  /** When it fires the run is over, whatever is still being asked. */
  readonly over: AbortSignal;
  /** Milliseconds for this check alone. */
  readonly limit?: number;
}

const CHECK_TIMEOUT_MS = 3_000;

/** The run, or this check, has had its time. */
class TimeIsUp extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('no answer in time');
  }
}

/** The work, or TimeIsUp: what is asked of a network may never be answered. */
export async function within<T>(work: () => T | Promise<T>, { over, limit = CHECK_TIMEOUT_MS }: TimeLimit): Promise<T> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, over]);
  const giveUp = async (): Promise<never> => {
    await sleep(limit, undefined, { signal }).catch(() => {});
    throw new TimeIsUp();
  };
  if (over.aborted) throw new TimeIsUp();
  try {
    return await Promise.race([work(), giveUp()]);
  } finally {
    done.abort();
  }
}

/** Each check stands for itself: one that throws, or does not come to its end, is a finding like any other. */
export async function attempt(
  check: string,
  work: () => Outcome | Promise<Outcome>,
  timeLimit: TimeLimit,
): Promise<readonly Finding[]> {
  try {
    return listOf(await within(work, timeLimit));
  } catch (error) {
    return [unseen(check, error)];
  }
}

/** The same for what asks nobody, and so is always in time. */
export function checkNow(check: string, work: () => Outcome): readonly Finding[] {
  try {
    return listOf(work());
  } catch (error) {
    return [unseen(check, error)];
  }
}

const listOf = (outcome: Outcome): readonly Finding[] => ('check' in outcome ? [outcome] : outcome);

const unseen = (check: string, error: unknown): Finding =>
  warning(check, `the check failed: ${reasonOf(error)}`, `Run ${command('doctor')} again.`);

/** In one line, and without what a database quotes. */
function reasonOf(error: unknown): string {
  if (error instanceof TimeIsUp) return error.message;
  if (error instanceof CommandFailure) return printable(error.message.split('\n')[0]!, 300);
  const { type, message, code } = serializeError(error) as { type: string; message?: string; code?: string };
  const words = printable(message?.split('\n')[0] || type, 300);
  return code === undefined ? words : `${words} (${code})`;
}
