import { expect, it } from 'vitest';
import { readSnapshot } from './cursor.ts';
import { type Entries, type Entry, listBytes, NO_ENTRIES, withAdded, withoutExpired } from './entries.ts';

const entry = (id: number, { xid = id, expires = 1_000 } = {}): Entry => ({
  xid,
  expires,
  json: JSON.stringify({ id }),
});
const range = (from: number, to: number, options?: (id: number) => { xid?: number; expires?: number }): Entry[] =>
  Array.from({ length: to - from }, (_, index) => entry(from + index, options?.(from + index)));
const idsOf = (entries: Entries, since?: string): number[] =>
  JSON.parse(Buffer.concat(listBytes(entries, since ? readSnapshot(since) : undefined)).toString()).map(
    ({ id }: { id: number }) => id,
  );
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

it('feed entries: none, one and many are listed', () => {
  expect(idsOf(NO_ENTRIES)).toEqual([]);
  expect(idsOf(withAdded(NO_ENTRIES, range(1, 2)))).toEqual([1]);
  expect(idsOf(withAdded(NO_ENTRIES, range(0, 1_234)))).toEqual(numbers(0, 1_234));
});

it('feed entries: segments are filled up, however few entries are added at a time', () => {
  let entries = NO_ENTRIES;
  for (let id = 0; id < 1_100; id += 10) entries = withAdded(entries, range(id, id + 10));
  expect(entries.segments.map(({ ends }) => ends.length)).toEqual([200, 200, 200, 200, 200, 100]);
  expect(idsOf(entries)).toEqual(numbers(0, 1_100));
});

it('feed entries: segments that have not changed are shared', () => {
  const before = withAdded(NO_ENTRIES, range(0, 700));
  const after = withAdded(before, range(700, 701));
  expect(after.segments[0]).toBe(before.segments[0]);
  expect(idsOf(before)).toHaveLength(700);
});

it('feed entries: those that a snapshot has not seen are listed across segments', () => {
  const entries = withAdded(NO_ENTRIES, range(0, 1_600));
  expect(idsOf(entries, '1600:1600:')).toEqual([]);
  expect(idsOf(entries, '1598:1598:')).toEqual([1_598, 1_599]);
  expect(idsOf(entries, '499:1000:499,750')).toEqual([499, 750, ...numbers(1_000, 1_600)]);
  expect(idsOf(entries, '0:0:')).toEqual(numbers(0, 1_600));
});

it('feed entries: if a snapshot has seen half of each segment, few bytes are copied, and some seen entries are sent again', () => {
  const entries = withAdded(
    NO_ENTRIES,
    range(0, 20_000, (id) => ({ xid: id % 2 })),
  );
  const shared = new Set(entries.segments.map(({ bytes }) => bytes.buffer));
  const parts = listBytes({ ...entries }, readSnapshot('1:1:'));
  const copied = parts.filter(({ buffer }) => !shared.has(buffer)).reduce((sum, { length }) => sum + length, 0);
  expect(copied).toBeLessThan(80_000);
  const sent = new Set(idsOf(entries, '1:1:'));
  expect(numbers(0, 10_000).filter((half) => !sent.has(2 * half + 1))).toEqual([]);
});

it('feed entries: expired ones are removed, and the remaining segments are merged', async () => {
  const entries = withAdded(
    NO_ENTRIES,
    range(0, 2_000, (id) => ({ expires: id % 10 === 0 ? 2_000 : 1_000 })),
  );
  expect(await withoutExpired(entries, 999)).toEqual(entries);
  const after = await withoutExpired(entries, 1_000);
  expect(idsOf(after)).toEqual(numbers(0, 200).map((id) => id * 10));
  expect(after.segments).toHaveLength(1);
  expect(await withoutExpired(after, 2_000)).toEqual(NO_ENTRIES);
});

it('feed entries: the digest is the same for the same entries in any order', async () => {
  const [first, second] = [range(0, 600), range(600, 900)];
  const one = withAdded(withAdded(NO_ENTRIES, first), second);
  const other = withAdded(withAdded(NO_ENTRIES, second), first);
  expect(one.digest).toEqual(other.digest);
  const more = withAdded(one, [entry(900, { expires: 5 })]);
  expect(more.digest).not.toEqual(one.digest);
  expect((await withoutExpired(more, 5)).digest).toEqual(one.digest);
});
