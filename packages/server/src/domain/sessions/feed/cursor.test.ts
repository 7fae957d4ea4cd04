import { describe, expect, it } from 'vitest';
import { hasSeen, instanceOf, readCursor, readSnapshot, writeCursor } from './cursor.ts';

const instance = instanceOf('a database');

describe('a snapshot', () => {
  it('has seen the transactions that ended before it was taken, and no others', () => {
    const snapshot = readSnapshot('100:105:100,103');
    const seen = [1, 99, 100, 101, 102, 103, 104, 105, 1_000].filter((xid) => hasSeen(snapshot, xid));
    expect(seen).toEqual([1, 99, 101, 102, 104]);
  });

  it('without running transactions has seen every transaction with an id below its xmax', () => {
    const snapshot = readSnapshot('105:105:');
    expect([104, 105].map((xid) => hasSeen(snapshot, xid))).toEqual([true, false]);
  });
});

describe('a cursor', () => {
  it.each(['3:3:', '100:105:100,103', '9007199254740:9007199254799:9007199254740'])(
    'preserves the snapshot %s',
    (text) => {
      const snapshot = readSnapshot(text);
      const cursor = writeCursor({ instance, snapshot });
      expect(cursor).toMatch(/^[\w.-]+$/);
      expect(readCursor(cursor)).toEqual({ instance, snapshot });
    },
  );

  it('with very many open transactions is short, and has seen nothing from the oldest one on', () => {
    const active = Array.from({ length: 51 }, (_, index) => 100 + 2 * index);
    const cursor = writeCursor({ instance, snapshot: readSnapshot(`100:300:${active}`) });
    const { snapshot } = readCursor(cursor)!;
    expect([99, 100, 101, 299].map((xid) => hasSeen(snapshot, xid))).toEqual([true, false, false, false]);
    expect(cursor.length).toBeLessThan(40);
  });

  it('differs for another database, and for the same one after a restart', () => {
    expect(new Set(['1700000000.1 5', '1700000000.2 5', '1700000000.1 6'].map(instanceOf)).size).toBe(3);
  });

  it.each([
    '',
    'x',
    '.',
    '...',
    `${instance}.5.3.`,
    `${instance}.5.`,
    `${instance}.5.6.7-`,
    `${instance}.A.B.`,
    `${instance}.5.9.${Array.from({ length: 51 }, (_, index) => index.toString(36)).join('-')}`,
    'x'.repeat(2_000),
  ])('%j is not a cursor', (text) => {
    expect(readCursor(text)).toBeUndefined();
  });
});
