import { expect, it, type TestContext } from 'vitest';
import { isFull } from './effort.ts';

interface Entry {
  tried: number;
  readonly failures: string[];
  readonly notes: string[];
}

declare module 'vitest' {
  interface TaskMeta {
    ledger?: Entry;
  }
}

/** What was seen instead of the expected result, or undefined. */
type Seen = string | undefined;

export interface Ledger {
  /** Runs one case. The case fails if `check` returns something or throws; the other cases run anyway. */
  attempt(name: string, check: () => Promise<Seen> | Seen): Promise<void>;
  /** Adds the result of a case that has already run. */
  enter(name: string, seen: Seen): void;
  note(line: string): void;
}

type Work = (ledger: Ledger, context: TestContext) => Promise<void>;

/** A test with many cases, each of which is counted. The test fails if a case failed, or if there was none. */
export function cases(title: string, work: Work, timeout?: number): void {
  it(title, (context) => keepLedger(work, context), timeout);
}

/** Like `cases`, only in the full form. Files that have only such tests are named `*.full.test.ts`. */
export function fullCases(title: string, work: Work, timeout?: number): void {
  if (isFull) cases(title, work, timeout);
}

async function keepLedger(work: Work, context: TestContext): Promise<void> {
  const entry: Entry = { tried: 0, failures: [], notes: [] };
  context.task.meta.ledger = entry;
  const enter = (name: string, seen: Seen) => {
    entry.tried += 1;
    if (seen !== undefined) entry.failures.push(`${name}: ${seen}`);
  };
  await work(
    {
      enter,
      async attempt(name, check) {
        enter(name, await Promise.resolve().then(check).catch(messageOf));
      },
      note: (line) => void entry.notes.push(line),
    },
    context,
  );
  expect(entry.failures).toEqual([]);
  expect(entry.tried).toBeGreaterThan(0);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
