import { describe, expect, it } from 'vitest';
import { readBatches } from './lines.ts';

async function* pieces(text: string, length = 64 * 1024): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const read = async (text: string, { rows = 1000, bytes = 1e9, skip = 0 } = {}) => {
  const batches: string[][] = [];
  for await (const batch of readBatches(pieces(text), { rows, bytes, skip })) batches.push(batch);
  return batches;
};

describe('the lines of a file', () => {
  it('lines are read in batches, limited by number or by size', async () => {
    expect(await read('1\n2\n3\n4\n5\n', { rows: 2 })).toEqual([['1', '2'], ['3', '4'], ['5']]);
    expect(await read('1234\n5678\n9\n', { bytes: 8 })).toEqual([['1234', '5678'], ['9']]);
    expect(await read('')).toEqual([]);
  });

  it('lines that an earlier run has loaded are skipped', async () => {
    expect(await read('1\n2\n3\n4\n5\n', { rows: 2, skip: 3 })).toEqual([['4', '5']]);
    expect(await read('1\n2\n', { skip: 2 })).toEqual([]);
  });

  it('lines end only with a newline, wherever the chunks are cut', async () => {
    const odd = 'a\u2028b\u2029c\rd\u0085e🦭'.repeat(50_000);
    expect(await read(`${odd}\n${odd}x\n`)).toEqual([[odd, `${odd}x`]]);
  });
});
