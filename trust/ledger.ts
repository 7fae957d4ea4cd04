import { expect, it, type TestContext } from 'vitest';
import { isFull } from './effort.ts';

/** What a test has tried, as the reporter reads it. */
interface Entry {
  tried: number;
  /** What was tried and did not hold: the case, and what was seen. */
  readonly failures: string[];
  /** Figures worth a line under the table. */
  readonly notes: string[];
}

declare module 'vitest' {
  interface TaskMeta {
    ledger?: Entry;
  }
}

/** What was seen in place of what should be; nothing when all is well. */
type Seen = string | undefined;

export interface Ledger {
  /** One case. It holds unless `look` tells of something or throws; the others are tried all the same. */
  attempt(name: string, look: () => Promise<Seen> | Seen): Promise<void>;
  /** A case that has been tried already. */
  enter(name: string, seen: Seen): void;
  note(line: string): void;
}

type Work = (ledger: Ledger, context: TestContext) => Promise<void>;

/** A test of many cases, each of which is counted. It fails when one did not hold, and when there was none. */
export function cases(title: string, work: Work, timeout?: number): void {
  it(title, (context) => keepLedger(work, context), timeout);
}

/** The same, in the full form alone: what is timed, or takes long. A file of nothing else is named `*.full.test.ts`. */
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
      async attempt(name, look) {
        enter(name, await Promise.resolve().then(look).catch(say));
      },
      note: (line) => void entry.notes.push(line),
    },
    context,
  );
  expect(entry.failures).toEqual([]);
  expect(entry.tried).toBeGreaterThan(0);
}

const say = (error: unknown): string => (error instanceof Error ? error.message : String(error));
