import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Entries, type Entry, NO_ENTRIES, PER_SEGMENT, withAdded, withoutExpired, withoutIds } from './entries.ts';
import { readRow } from './queries.ts';

interface Latest {
  readonly before: number;
  readonly expires: number;
}

/** The changes of roles in the feed: one entry for each key, the latest. */
export interface Refreshes {
  readonly entries: Entries;
  readonly latest: ReadonlyMap<string, Latest>;
}

export const NO_REFRESHES: Refreshes = { entries: NO_ENTRIES, latest: new Map() };

const BEFORE = /"before":(\d+)/;

/** Adds changes, each instead of an earlier one with the same key, and removes expired ones. */
export async function withChanges(
  { entries, latest }: Refreshes,
  lines: readonly string[],
  now: Date,
): Promise<Refreshes> {
  const valid = await withoutExpired(entries, now.getTime());
  if (lines.length === 0) return { entries: valid, latest };
  const next = new Map([...latest].filter(([, { expires }]) => expires > now.getTime()));
  const [added, replaced]: [Entry[], Set<string>] = [[], new Set()];
  for (const [index, line] of lines.entries()) {
    if (index > 0 && index % PER_SEGMENT === 0) await nextTurn();
    const row = readRow(line);
    const before = Number(BEFORE.exec(row.json)![1]);
    const known = next.get(row.id);
    // The entries of two publishers may become visible in either order.
    if (known && known.before >= before) continue;
    if (known) replaced.add(row.id);
    next.set(row.id, { before, expires: row.expires });
    added.push(row);
  }
  let all = await withoutIds(valid, replaced);
  for (let at = 0; at < added.length; at += PER_SEGMENT) {
    if (at > 0) await nextTurn();
    all = withAdded(all, added.slice(at, at + PER_SEGMENT));
  }
  return { entries: all, latest: next };
}
