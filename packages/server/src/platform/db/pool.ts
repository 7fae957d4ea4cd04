import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { PoolBusy } from './errors.ts';

const MAX_NAMED_STATEMENTS = 500;
/** If one connection is known to be lost, others that have been silent for this long are treated as lost, too. */
const SILENCE_MS = 1_000;
/** The error message of pg-pool after waiting too long for a connection. */
const TIMEOUT_MESSAGE = 'timeout exceeded when trying to connect';

interface RenewablePool extends PostgresPool {
  /**
   * Called when the database is reachable again after it did not respond. Older connections may be dead without an
   * error until their timeout, so none is used again, and queries that wait on them fail immediately.
   */
  renew(): void;
}

interface PoolOptions {
  /** Whether statements may be prepared under a name for reuse on the same connection. */
  readonly prepares: boolean;
  /** How long to wait for a free connection. */
  readonly timeoutMs: number;
  /** Called before each connection is taken from the pool. */
  readonly prepare: () => void;
}

/** Prepares each text once per connection, up to a limit: texts built from data must not fill the server's memory. */
export function namingPool(pool: pg.Pool, { prepares, timeoutMs, prepare }: PoolOptions): RenewablePool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMED_STATEMENTS) return known;
    const name = `q${names.size}`;
    names.set(text, name);
    return name;
  };

  let generation = 0;
  const generationOf = new WeakMap<pg.PoolClient, number>();
  pool.on('connect', (client) => generationOf.set(client, generation));
  /** Clients with a running query, and when it was sent. */
  const sentAt = new Map<pg.PoolClient, number>();

  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    let broken = false;
    const query = async (text: string, values: readonly unknown[]) => {
      // This is the rollback after a failed query: on the lost connection it would wait for another timeout.
      if (broken) throw new Error('the connection to the database was lost');
      // Transaction control has no parameters and no plan worth keeping.
      const name = values.length > 0 && prepares ? nameOf(text) : undefined;
      sentAt.set(client, performance.now());
      try {
        return await client.query({ text, values: values as unknown[], ...(name && { name }) });
      } catch (error) {
        // Without SQLSTATE the error is that of a lost or silent connection, which must not be used again.
        if (!(error instanceof pg.DatabaseError)) broken = true;
        throw error;
      } finally {
        sentAt.delete(client);
      }
    };
    return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(broken) };
  };

  // Distinguishes a full pool, which has handed out connections recently, from a stopped database: same driver error.
  let handedOutAt = Number.NEGATIVE_INFINITY;
  const isHandingOut = () => performance.now() - handedOutAt < timeoutMs;
  const take = async (): Promise<pg.PoolClient> => {
    try {
      const client = await pool.connect();
      handedOutAt = performance.now();
      return client;
    } catch (error) {
      throw (error as Error).message === TIMEOUT_MESSAGE && isHandingOut() ? new PoolBusy(TIMEOUT_MESSAGE) : error;
    }
  };

  return {
    async connect() {
      for (;;) {
        prepare();
        const client = await take();
        if (generationOf.get(client) === generation) return wrap(client);
        client.release(true);
      }
    },
    end: () => pool.end(),
    renew() {
      generation += 1;
      const now = performance.now();
      // Ending a client makes its running query fail immediately.
      for (const [client, since] of sentAt) if (now - since > SILENCE_MS) void (client as unknown as pg.Client).end();
    },
  } as RenewablePool;
}
