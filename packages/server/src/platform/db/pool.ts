import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { PoolBusy } from './errors.ts';

const MAX_NAMED_STATEMENTS = 500;
/** Milliseconds without a word after which a connection is taken for lost, once another one is known to be. */
const SILENCE = 1_000;
/** What the pool says to whoever stood in its line for too long. */
const WAITED_TOO_LONG = 'timeout exceeded when trying to connect';

interface RenewablePool extends PostgresPool {
  /**
   * The way to the database was silent, and is open again: what was connected before may lead nowhere, and would say so only
   * when its time is up. None of it is used again; whoever waits for an answer on it is told at once.
   */
  renew(): void;
}

interface PoolOptions {
  /** Whether a statement may be given a name, under which the connection knows it the next time. */
  readonly prepares: boolean;
  /** Milliseconds for which somebody waits for a connection. */
  readonly timeoutFactor: number;
  /** Before each connection is handed out. */
  readonly prepare: () => void;
}

/**
 * Every distinct statement text is prepared once per connection under a name of its own, so that the server parses and
 * plans it once. The number of names is bounded: texts built from data must not fill the server's memory.
 */
export function namingPool(pool: pg.Pool, { prepares, timeoutFactor: timeoutMs, prepare }: PoolOptions): RenewablePool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMED_STATEMENTS) return known;
    const name = `q${names.size}`;
    names.set(text, name);
    return name;
  };

  let age = 0;
  const madeIn = new WeakMap<pg.PoolClient, number>();
  pool.on('connect', (client) => madeIn.set(client, age));
  /** Those that wait for an answer, and since when. */
  const asked = new Map<pg.PoolClient, number>();

  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    let broken = false;
    const query = async (text: string, values: readonly unknown[]) => {
      // The rollback of what was cut: to wait for it would be to wait as long again.
      if (broken) throw new Error('the connection to the database was lost');
      // Transaction control has no parameters and no plan worth keeping.
      const name = values.length > 0 && prepares ? nameOf(text) : undefined;
      asked.set(client, performance.now());
      try {
        return await client.query({ text, values: values as unknown[], ...(name && { name }) });
      } catch (error) {
        // An error without SQLSTATE is not the server's word but a lost or silent connection: never use it again.
        if (!(error instanceof pg.DatabaseError)) broken = true;
        throw error;
      } finally {
        asked.delete(client);
      }
    };
    return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(broken) };
  };

  // The driver has the same words for a line that is too long and for a database that has stopped: in the former it moves.
  let served = Number.NEGATIVE_INFINITY;
  const isMoving = () => performance.now() - served < timeoutMs;
  const take = async (): Promise<pg.PoolClient> => {
    try {
      const client = await pool.connect();
      served = performance.now();
      return client;
    } catch (error) {
      throw (error as Error).message === WAITED_TOO_LONG && isMoving() ? new PoolBusy(WAITED_TOO_LONG) : error;
    }
  };

  return {
    async connect() {
      for (;;) {
        prepare();
        const client = await take();
        if (madeIn.get(client) === age) return wrap(client);
        client.release(true);
      }
    },
    end: () => pool.end(),
    renew() {
      age += 1;
      const now = performance.now();
      // Ended while it waits, a client breaks off at once.
      for (const [client, since] of asked) if (now - since > SILENCE) void (client as unknown as pg.Client).end();
    },
  } as RenewablePool;
}
