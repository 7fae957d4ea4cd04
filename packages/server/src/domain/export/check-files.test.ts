import { createHash } from 'node:crypto';
import { appendFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BLOCK_BYTES, readBlocks } from './blocks.ts';
import { checkFiles, readChecked } from './check-files.ts';
import { TransferFailure } from './failure.ts';
import type { Manifest } from './manifest.ts';
import { newFolder } from './service-fixture.ts';

const { folder, remove } = newFolder();
afterAll(remove);

const FILE = 'users.ndjson';
const path = join(folder, FILE);
/** Two whole blocks and a part of a third, each with different content. */
const CONTENT = Buffer.concat(['a', 'b', 'c'].map((letter) => Buffer.alloc(BLOCK_BYTES, letter))).subarray(0, -100);

async function check(content: Buffer) {
  writeFileSync(path, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const manifest = { files: [{ file: FILE, bytes: content.length, sha256 }] } as unknown as Manifest;
  const follow = () => ({ add: () => {}, done: () => {} });
  return (await checkFiles({ folder, manifest, follow, signal: new AbortController().signal })).get(FILE)!;
}

/** Returns the bytes that were read, and the error that ended the reading. */
async function readAll(prefixes: readonly string[], afterBlock: (count: number) => void = () => {}) {
  const blocks: Buffer[] = [];
  const reading = (async () => {
    for await (const block of readChecked(path, FILE, prefixes)) afterBlock(blocks.push(block));
  })();
  const error = await reading.then(
    () => undefined,
    (failure) => failure,
  );
  return { bytes: Buffer.concat(blocks), error };
}

const changed = (error: unknown) => {
  expect(error).toBeInstanceOf(TransferFailure);
  expect((error as Error).message).toContain(`${FILE} was changed after it was checked`);
};

describe('a checked file', () => {
  it.each([0, 1, BLOCK_BYTES, BLOCK_BYTES + 1, CONTENT.length])('of %d bytes is read completely', async (length) => {
    const content = CONTENT.subarray(0, length);
    const { bytes, error } = await readAll(await check(content));
    expect(error).toBeUndefined();
    expect(bytes.equals(content)).toBe(true);
  });

  it('that was replaced by another one of the same size yields nothing', async () => {
    const prefixes = await check(CONTENT);
    writeFileSync(`${path}.new`, Buffer.alloc(CONTENT.length, 'x'));
    renameSync(`${path}.new`, path);
    const { bytes, error } = await readAll(prefixes);
    changed(error);
    expect(bytes.length).toBe(0);
  });

  it('a checked file that changes while it is read yields what comes before the change, and nothing of the change', async () => {
    const prefixes = await check(CONTENT);
    const other = Buffer.from(CONTENT);
    other[BLOCK_BYTES + 5] = 0x78;
    const { bytes, error } = await readAll(prefixes, (count) => count === 1 && writeFileSync(path, other));
    changed(error);
    expect(bytes.equals(CONTENT.subarray(0, BLOCK_BYTES))).toBe(true);
  });

  it.each([
    ['cut short at the end of a block', () => truncateSync(path, BLOCK_BYTES), BLOCK_BYTES],
    ['cut short within a block', () => truncateSync(path, BLOCK_BYTES + 7), BLOCK_BYTES],
    ['emptied', () => truncateSync(path, 0), 0],
    ['continued', () => appendFileSync(path, 'x'), 2 * BLOCK_BYTES],
  ])('that was %s is rejected', async (_how, change, length) => {
    const prefixes = await check(CONTENT);
    change();
    const { bytes, error } = await readAll(prefixes);
    changed(error);
    expect(bytes.equals(CONTENT.subarray(0, length))).toBe(true);
  });

  it('of whole blocks is rejected if something was appended to it', async () => {
    const prefixes = await check(CONTENT.subarray(0, BLOCK_BYTES));
    appendFileSync(path, 'x');
    const { error } = await readAll(prefixes);
    changed(error);
  });
});

it('a missing file is reported by name', async () => {
  const reading = readBlocks(join(folder, 'nothing')).next();
  await expect(reading).rejects.toThrow(TransferFailure);
  await expect(reading).rejects.toThrow('it does not exist');
});
