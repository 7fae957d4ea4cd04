import { type EventPage, type EventQuery, LIMITS } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { invalidCursor, readCursor, writeCursor } from '../../domain/events/cursor.ts';
import { describeEvent } from '../../domain/events/describe.ts';
import {
  type EventRecord,
  findStream,
  type Position,
  type StreamState,
  scanEvents,
  scanOldEvents,
} from '../../domain/events/queries.ts';
import { establishStream } from '../../domain/webhooks/establish-stream.ts';

const START: Position = { xid: '0', id: 0 };

/**
 * docs/reference/webhooks.md#event-stream: GET /orgs/:org_id/events and GET /admin/events: the events after a cursor,
 * in the order of transactions, then of row ids. Only events of ended transactions are returned, so that none appears
 * before the cursor later. `organization_id` undefined: the events of all organizations.
 */
export async function listEvents(
  deps: Deps,
  { after, limit: asked, types }: EventQuery,
  organization_id: string | undefined,
): Promise<EventPage> {
  const { keyring } = deps;
  const limit = Math.min(LIMITS.events.max, Math.max(1, Number(asked ?? LIMITS.events.default)));
  const state = await readStream(deps);
  const binding = { organization_id, epoch: state.epoch };
  const from = after === undefined ? START : readCursor(keyring, binding, after);
  // The cursor is ahead of the database: the database was restored to an earlier state.
  if (BigInt(from.xid) > BigInt(state.settled)) throw invalidCursor();
  const { rows, next } = await readPage(deps, state, from, { organization_id, types: types?.split(','), limit });
  return {
    items: rows.map((row) => describeEvent(row, { redacted: organization_id !== undefined })),
    next: writeCursor(keyring, binding, next),
  };
}

async function readStream({ db, clock }: Deps): Promise<StreamState & { epoch: string }> {
  let state = await findStream(db);
  if (state.epoch === null || state.place === null) {
    await establishStream(db, clock.now());
    state = await findStream(db);
  }
  return { ...state, epoch: state.epoch! };
}

interface Page {
  readonly rows: readonly EventRecord[];
  readonly next: Position;
}

/** Reads the rows up to `old_to`, ordered by id, and then newer rows, ordered by transaction. */
async function readPage(
  { db }: Deps,
  state: StreamState,
  from: Position,
  options: Parameters<typeof scanEvents>[3],
): Promise<Page> {
  const old = from.xid === '0' ? await scanOldEvents(db, from.id, state.old_to, options) : undefined;
  if (old?.last) return { rows: old.rows, next: old.last };
  const limit = options.limit - (old?.rows.length ?? 0);
  const { rows, last } = await scanEvents(db, old ? START : from, state, { ...options, limit });
  return { rows: [...(old?.rows ?? []), ...rows], next: last ?? { xid: state.settled, id: 0 } };
}
