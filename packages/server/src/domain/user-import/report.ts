import type { Note, Reason } from './validate.ts';

export type Line =
  | { readonly at: string; readonly outcome: 'skipped'; readonly email: string | null; readonly reason: Reason }
  | {
      readonly at: string;
      readonly outcome: 'brought_along';
      readonly email: string;
      /** Set once the user is inserted. */
      readonly user_id?: string;
      readonly status: 'active' | 'disabled';
      readonly hash: string;
      readonly identities: number;
      readonly notes: readonly Note[];
    };

const MAX_EXAMPLES = 5;

export interface ReasonCount {
  count: number;
  readonly examples: string[];
}

export interface Report {
  read: number;
  brought_along: number;
  disabled: number;
  identities: number;
  readonly hashes: Map<string, number>;
  readonly skipped: Map<Reason, ReasonCount>;
  readonly notes: Map<Note, ReasonCount>;
}

export const emptyReport = (): Report => ({
  read: 0,
  brought_along: 0,
  disabled: 0,
  identities: 0,
  hashes: new Map(),
  skipped: new Map(),
  notes: new Map(),
});

export function enter(report: Report, line: Line): void {
  report.read++;
  const example = `${line.at}${line.email === null ? '' : ` ${line.email}`}`;
  if (line.outcome === 'skipped') {
    addExample(report.skipped, line.reason, example);
    return;
  }
  report.brought_along++;
  report.identities += line.identities;
  if (line.status === 'disabled') report.disabled++;
  report.hashes.set(line.hash, (report.hashes.get(line.hash) ?? 0) + 1);
  for (const note of line.notes) addExample(report.notes, note, example);
}

function addExample<K>(groups: Map<K, ReasonCount>, key: K, example: string): void {
  const known = groups.get(key) ?? { count: 0, examples: [] };
  known.count++;
  if (known.examples.length < MAX_EXAMPLES) known.examples.push(example);
  groups.set(key, known);
}

export const skippedIn = (report: Report): number =>
  [...report.skipped.values()].reduce((sum, { count }) => sum + count, 0);
