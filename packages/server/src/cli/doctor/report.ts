import { attempt, checkNow, type Outcome, within } from './attempt.ts';
import { type Finding, skipped } from './finding.ts';

/** In display order. */
export const GROUPS = ['Settings', 'Database', 'Keys', 'Service', 'Mail', 'Sign-in'] as const;
type Group = (typeof GROUPS)[number];

export interface Grouped extends Finding {
  readonly group: Group;
}

/** Checks that come first in their group. */
const LEADING: readonly string[] = ['address', 'mail', 'mail API', 'mail server'];

/** Collects findings. No exception of a check ends the run. */
export interface Report {
  add(group: Group, ...findings: readonly Finding[]): void;
  skip(checks: readonly Named[], why: string): void;
  checkNow(group: Group, check: string, work: () => Outcome): void;
  /** Runs a check with a timeout in milliseconds. */
  check(group: Group, check: string, work: () => Outcome | Promise<Outcome>, limit?: number): Promise<void>;
  /** Runs a query that other checks depend on; rejects if it fails. */
  ask<T>(work: () => Promise<T>, limit: number): Promise<T>;
  /** Runs a query for later checks; undefined if it fails. */
  learn<T>(work: () => Promise<T>): Promise<T | undefined>;
  findings(): readonly Grouped[];
}

export interface Named {
  readonly group: Group;
  readonly check: string;
}

export function createReport(over: AbortSignal): Report {
  const found: Grouped[] = [];
  const add = (group: Group, ...findings: readonly Finding[]): void => {
    found.push(...findings.map((finding) => ({ group, ...finding })));
  };
  return {
    add,
    skip(checks, why) {
      for (const { group, check } of checks) add(group, skipped(check, why));
    },
    checkNow: (group, check, work) => add(group, ...checkNow(check, work)),
    async check(group, check, work, limit) {
      add(group, ...(await attempt(check, work, { over, ...(limit !== undefined && { limit }) })));
    },
    ask: (work, limit) => within(work, { over, limit }),
    learn: (work) => within(work, { over }).catch(() => undefined),
    findings: () =>
      GROUPS.flatMap((group) => {
        const own = found.filter((finding) => finding.group === group);
        const isLeading = ({ check }: Finding) => LEADING.includes(check);
        return [...own.filter(isLeading), ...own.filter((finding) => !isLeading(finding))];
      }),
  };
}
