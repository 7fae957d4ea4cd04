import { attempt, checkNow, type Outcome, within } from './attempt.ts';
import { type Finding, skipped } from './finding.ts';

/** In the order they are shown. */
export const GROUPS = ['Settings', 'Database', 'Keys', 'Service', 'Mail', 'Sign-in'] as const;
type Group = (typeof GROUPS)[number];

export interface Grouped extends Finding {
  readonly group: Group;
}

/** What leads its group, whenever it was heard. */
const LEADING: readonly string[] = ['address', 'mail', 'mail API', 'mail server'];

/** Collects what is found; nothing that is asked here can end the run. */
export interface Report {
  add(group: Group, ...findings: readonly Finding[]): void;
  skip(checks: readonly Named[], why: string): void;
  /** One check that asks nobody. */
  judge(group: Group, check: string, work: () => Outcome): void;
  /** One check, for at most so many milliseconds. */
  look(group: Group, check: string, work: () => Outcome | Promise<Outcome>, limit?: number): Promise<void>;
  /** What the run cannot go on without, or an error. */
  ask<T>(work: () => Promise<T>, limit: number): Promise<T>;
  /** What is needed later on; undefined: it could not be learned. */
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
    judge: (group, check, work) => add(group, ...checkNow(check, work)),
    async look(group, check, work, limit) {
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
