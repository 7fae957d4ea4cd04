import { setTimeout as sleep } from 'node:timers/promises';
import { serializeError } from '../../platform/log.ts';
import { CommandFailure } from '../support/failure.ts';
import { printable } from '../support/text.ts';
import { command, type Finding, warning } from './finding.ts';

export type Outcome = Finding | readonly Finding[];

interface TimeLimit {
  /** Aborted when the time of the whole run is over. */
  readonly over: AbortSignal;
  /** Timeout of this check in milliseconds. */
  readonly limit?: number;
}

const CHECK_TIMEOUT_MS = 3_000;

class TimeIsUp extends Error {
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('no answer in time');
  }
}

export async function within<T>(work: () => T | Promise<T>, { over, limit = CHECK_TIMEOUT_MS }: TimeLimit): Promise<T> {
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, over]);
  const failAfterTimeout = async (): Promise<never> => {
    await sleep(limit, undefined, { signal }).catch(() => {});
    throw new TimeIsUp();
  };
  if (over.aborted) throw new TimeIsUp();
  try {
    return await Promise.race([work(), failAfterTimeout()]);
  } finally {
    done.abort();
  }
}

/** Turns an exception or timeout of the check into a finding, so that checks are independent. */
export async function attempt(
  check: string,
  work: () => Outcome | Promise<Outcome>,
  timeLimit: TimeLimit,
): Promise<readonly Finding[]> {
  try {
    return listOf(await within(work, timeLimit));
  } catch (error) {
    return [failedCheck(check, error)];
  }
}

export function checkNow(check: string, work: () => Outcome): readonly Finding[] {
  try {
    return listOf(work());
  } catch (error) {
    return [failedCheck(check, error)];
  }
}

const listOf = (outcome: Outcome): readonly Finding[] => ('check' in outcome ? [outcome] : outcome);

const failedCheck = (check: string, error: unknown): Finding =>
  warning(check, `the check failed: ${reasonOf(error)}`, `Run ${command('doctor')} again.`);

/** The error message on one line, without values that database errors quote. */
function reasonOf(error: unknown): string {
  if (error instanceof TimeIsUp) return error.message;
  if (error instanceof CommandFailure) return printable(error.message.split('\n')[0]!, 300);
  const { type, message, code } = serializeError(error) as { type: string; message?: string; code?: string };
  const words = printable(message?.split('\n')[0] || type, 300);
  return code === undefined ? words : `${words} (${code})`;
}
