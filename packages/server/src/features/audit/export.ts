import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { exportKeys } from '../../domain/audit/export-key.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { tooMany } from '../../domain/service-error.ts';
import { createBounded, NoRoom } from '../../platform/bounded.ts';
import { connectDatabase, type Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { readPieces } from './pieces.ts';
import { allowIdle } from './queries.ts';
import type { TimeRange } from './time-range.ts';
import { type Trailer, writeTrailer } from './trailer.ts';

interface SignedExport extends Trailer {
  readonly body: Readable;
}

interface Client {
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  /** Milliseconds in which it takes nothing, after which it is given up. */
  readonly stallTimeoutMs?: number;
}

const STALL_TIMEOUT_MS = 60_000;
const RETRY_AFTER = 30;

// Each holds a connection and keeps the database from tidying up behind it.
const line = createBounded({ atOnce: 2, waiting: 0 });

/**
 * §4.10 GET /admin/audit-export: all rows of a time range, signed. The signature goes out before the first byte, so the rows
 * are read twice, from one snapshot: what is written meanwhile is in neither. Undefined: the client has gone.
 */
export const exportAudit = (
  deps: Deps,
  caller: Caller,
  range: TimeRange,
  client: Client,
): Promise<SignedExport | undefined> =>
  new Promise((resolve, reject) => {
    const work = () =>
      withSnapshot(deps, async (tx) => {
        const trailer = await sign(deps, tx, range, client.gone);
        if (client.gone.aborted) return resolve(undefined);
        await recordExport(deps, caller, range, trailer);
        const body = streamLines(deps, tx, range, trailer, client);
        resolve({ ...trailer, body });
        // Its place and its snapshot are kept until it is over, one way or another.
        await finished(body).catch(() => {});
      });
    line.run(caller.network, work).catch((error) => reject(error instanceof NoRoom ? tooMany(RETRY_AFTER) : error));
  });

async function sign({ config }: Deps, tx: Tx, range: TimeRange, gone: AbortSignal): Promise<Trailer> {
  const hmac = createHmac('sha256', exportKeys(config)[0]!.key);
  let count = 0;
  for await (const { text, rows } of readPieces(tx, range)) {
    hmac.update(text);
    count += rows;
    if (gone.aborted) break;
  }
  return { signature: `sha256=${hmac.digest('hex')}`, count };
}

/** Before it goes out: no export is without its row. */
const recordExport = (deps: Deps, caller: Caller, { from, to }: TimeRange, { signature, count }: Trailer) =>
  transact(deps.db, (tx) =>
    recordAudit(tx, caller, {
      action: 'audit.exported',
      now: deps.clock.now(),
      resource_type: 'audit_export',
      // Whoever holds the file can find out who made it.
      resource_id: signature,
      metadata: { count, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
    }),
  );

/** As fast as the client reads. What goes wrong from here on breaks the answer off, without its trailer. */
function streamLines(deps: Deps, tx: Tx, range: TimeRange, trailer: Trailer, client: Client): Readable {
  const stream: Readable = Readable.from(pieces(), { highWaterMark: 1 });
  stream.on('error', (err) => deps.log.warn({ err }, 'an audit export was aborted'));
  const leave = () => stream.destroy();
  if (client.gone.aborted) leave();
  client.gone.addEventListener('abort', leave, { once: true });
  return stream;

  async function* pieces(): AsyncGenerator<string> {
    for await (const text of linesAndTrailer(tx, range, trailer)) {
      const giveUp = () => stream.destroy(new Error('the client has stopped reading'));
      const timer = setTimeout(giveUp, client.stallTimeoutMs ?? STALL_TIMEOUT_MS);
      try {
        // Goes on when the piece is taken.
        yield text;
      } finally {
        clearTimeout(timer);
      }
    }
  }
}

async function* linesAndTrailer(tx: Tx, range: TimeRange, trailer: Trailer): AsyncGenerator<string> {
  for await (const { text } of readPieces(tx, range)) yield text;
  yield writeTrailer(trailer);
}

/**
 * Reads from the database as it is now, for as long as that takes. On a connection of its own: requests must not run out of
 * theirs because somebody reads slowly.
 */
async function withSnapshot<T>({ database, log }: Deps, read: (tx: Tx) => Promise<T>): Promise<T> {
  const own = connectDatabase({
    address: database.address,
    poolSize: 1,
    onIdleError: (err) => log.warn({ err }, 'the database connection of an audit export was lost'),
  });
  try {
    return await own.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await allowIdle(tx);
        return read(tx);
      });
  } finally {
    await own.close();
  }
}
