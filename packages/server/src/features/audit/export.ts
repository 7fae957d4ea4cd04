import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { exportKeys } from '../../domain/audit/export-key.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { tooMany } from '../../domain/kernel/service-error.ts';
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
  /** Aborted when the client has disconnected. */
  readonly gone: AbortSignal;
  /** The export is aborted if the client reads nothing for this long. */
  readonly stallTimeoutMs?: number;
}

const STALL_TIMEOUT_MS = 60_000;
const RETRY_SECONDS = 30;

// Each export keeps a connection and a snapshot open, which prevents vacuum from removing dead rows.
const slots = createBounded({ atOnce: 2, waiting: 0 });

/**
 * §4.10 GET /admin/audit-export: all rows of a time range, signed. The signature is sent before the first row, so the
 * rows are read twice, from one snapshot. Returns undefined if the client has disconnected.
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
        // The slot and the snapshot are released when the stream has ended or failed.
        await finished(body).catch(() => {});
      });
    slots.run(caller.network, work).catch((error) => reject(error instanceof NoRoom ? tooMany(RETRY_SECONDS) : error));
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

/** Recorded before the response starts: every export has an audit row. */
const recordExport = (deps: Deps, caller: Caller, { from, to }: TimeRange, { signature, count }: Trailer) =>
  transact(deps.db, (tx) =>
    recordAudit(tx, caller, {
      action: 'audit.exported',
      now: deps.clock.now(),
      resource_type: 'audit_export',
      // Leads from an exported file to the audit row that says who exported it.
      resource_id: signature,
      metadata: { count, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
    }),
  );

/** Streams as fast as the client reads. An error from here on aborts the response, which then has no trailer. */
function streamLines(deps: Deps, tx: Tx, range: TimeRange, trailer: Trailer, client: Client): Readable {
  const stream: Readable = Readable.from(pieces(), { highWaterMark: 1 });
  stream.on('error', (err) => deps.log.warn({ err }, 'an audit export was aborted'));
  const abort = () => stream.destroy();
  if (client.gone.aborted) abort();
  client.gone.addEventListener('abort', abort, { once: true });
  return stream;

  async function* pieces(): AsyncGenerator<string> {
    for await (const text of linesAndTrailer(tx, range, trailer)) {
      const abortStalled = () => stream.destroy(new Error('the client has stopped reading'));
      const timer = setTimeout(abortStalled, client.stallTimeoutMs ?? STALL_TIMEOUT_MS);
      try {
        // The generator resumes when the client has read the piece.
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

/** Runs `read` on one snapshot without a time limit. Own connection: slow clients must not exhaust the pool. */
async function withSnapshot<T>({ database, log }: Deps, read: (tx: Tx) => Promise<T>): Promise<T> {
  const connection = connectDatabase({
    address: database.address,
    poolSize: 1,
    onIdleError: (err) => log.warn({ err }, 'the database connection of an audit export was lost'),
  });
  try {
    return await connection.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await allowIdle(tx);
        return read(tx);
      });
  } finally {
    await connection.close();
  }
}
