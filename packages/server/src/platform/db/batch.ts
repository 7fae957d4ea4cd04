import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { compileOnce } from './compile-once.ts';
import type { Db } from './connect.ts';
import { isUnfitValue } from './errors.ts';

/** Maximum number of requests in a batch. */
const MAX_ROWS = 32;

/** If a statement runs longer, the next one begins beside it: it may wait for a lock, or its connection may be lost. */
const STALLED_MS = 50;

/** A batch of at least this size means load: the next statement waits for `GATHERED_MS`, unless a full batch waits. */
const GATHERED_FROM = 8;
const GATHERED_MS = 4;

/** A value of a request: a parameter of its own statement, or a column of a batch. */
export type Operand<Value> = Value | RawBuilder<unknown>;
export type Operands<Values> = { readonly [Name in keyof Values]: Operand<Values[Name]> };

/**
 * The place of a request in its batch, by which its row is found: PostgreSQL may write a key differently than the
 * request.
 */
export interface Numbered {
  readonly nth: number;
}

export interface Source {
  /** The CTE of the batch, with a comma behind it; empty for a single request. */
  readonly cte: RawBuilder<unknown>;
  /** The batch as another table of `from`, with a comma before it; empty for a single request. */
  readonly from: RawBuilder<unknown>;
  readonly isBatch: boolean;
}

/** The source of a statement for a single request. */
export const SINGLE: Source = { cte: sql``, from: sql``, isBatch: false };

interface Batched<Values, Key extends keyof Values & string, Row extends Numbered> {
  readonly table: string;
  /** The unique column of `table` that selects the row. Requests with the same key never share a statement. */
  readonly key: Key;
  /** The PostgreSQL type of each value. A batch sends its values as one JSON parameter. */
  readonly columns: Readonly<Record<keyof Values & string, string>>;
  /** Builds the statement that changes the row and returns it with `nth`. It must not wait for locks of other rows. */
  statement(values: Operands<Values & Numbered>, source: Source): RawBuilder<Row>;
}

interface Waiting<Values, Row> {
  readonly values: Values;
  resolve(row: Row | undefined): void;
  reject(error: unknown): void;
}

/**
 * Returns a function that changes one row, and returns undefined if the statement returns no row for it. Requests that
 * arrive while a statement runs, and under load shortly after it, are executed together by the next one, which costs
 * much less than a statement and a commit for each (decision 67). A batch leaves out rows that another transaction has
 * locked. Requests for which it returns no row are executed alone. So a transaction that holds a lock delays requests
 * for other rows by at most `STALLED_MS` and `GATHERED_MS`.
 */
export function batched<Values extends object, Key extends keyof Values & string, Row extends Numbered>({
  table,
  key,
  columns,
  statement,
}: Batched<Values, Key, Row>): (db: Db, values: Values) => Promise<Row | undefined> {
  const one = compileOnce((values: Values & Numbered) => statement(values, SINGLE));
  const many = compileOnce(({ rows }: { rows: string }) => {
    const typed = Object.entries<string>({ ...columns, nth: 'int' });
    const types = sql.join(typed.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`));
    // The range has no limiting effect. Because of it, the planner expects one row, and uses the index of the key.
    const cte = sql`batch as materialized (
      select sent.* from json_to_recordset(${rows}::json) as sent (${types})
      join ${sql.table(table)} target on target.${sql.ref(key)} = sent.${sql.ref(key)}
      where sent.nth between 0 and ${sql.lit(MAX_ROWS)}
      for no key update of target skip locked
    ),`;
    const operands = Object.fromEntries(typed.map(([name]) => [name, sql.ref(`batch.${name}`)]));
    return statement(operands as Operands<Values & Numbered>, { cte, from: sql`, batch`, isBatch: true });
  });

  interface State {
    isRunning: boolean;
    waiting: Waiting<Values, Row>[];
  }
  const states = new WeakMap<Db, State>();

  /** Takes the requests that have waited longest, at most one for each key. */
  const take = (state: State): Waiting<Values, Row>[] => {
    const taken = new Map<unknown, Waiting<Values, Row>>();
    const left: Waiting<Values, Row>[] = [];
    for (const request of state.waiting) {
      const isTaken = taken.size < MAX_ROWS && !taken.has(request.values[key]);
      if (isTaken) taken.set(request.values[key], request);
      else left.push(request);
    }
    state.waiting = left;
    return [...taken.values()];
  };

  const runAlone = (db: Db, { values, resolve, reject }: Waiting<Values, Row>): Promise<void> =>
    one(db, { ...values, nth: 0 }).then((rows) => resolve(rows[0]), reject);

  const runTogether = async (db: Db, requests: readonly Waiting<Values, Row>[]): Promise<void> => {
    try {
      const rows = await many(db, { rows: JSON.stringify(requests.map(({ values }, nth) => ({ ...values, nth }))) });
      const changed = new Map(rows.map((row) => [row.nth, row]));
      for (const [nth, request] of requests.entries()) {
        const row = changed.get(nth);
        if (row) request.resolve(row);
        else void runAlone(db, request);
      }
    } catch (error) {
      // PostgreSQL does not say which request has the unfit value: the others must not fail because of it.
      if (isUnfitValue(error)) for (const request of requests) void runAlone(db, request);
      else for (const { reject } of requests) reject(error);
    }
  };

  /** Resolves when the statement has settled or stalled; never rejects. */
  const settledOrStalled = (statement: Promise<void>): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, STALLED_MS);
      void statement.then(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  const runWaiting = async (db: Db, state: State): Promise<void> => {
    state.isRunning = true;
    while (state.waiting.length > 0) {
      const requests = take(state);
      await settledOrStalled(requests.length === 1 ? runAlone(db, requests[0]!) : runTogether(db, requests));
      if (requests.length >= GATHERED_FROM && state.waiting.length < MAX_ROWS) await sleep(GATHERED_MS);
    }
    state.isRunning = false;
  };

  return (db, values) => {
    const state = states.get(db) ?? { isRunning: false, waiting: [] };
    states.set(db, state);
    return new Promise((resolve, reject) => {
      state.waiting.push({ values, resolve, reject });
      if (!state.isRunning) void runWaiting(db, state);
    });
  };
}
