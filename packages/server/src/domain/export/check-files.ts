import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlocks } from './blocks.ts';
import { TransferFailure, withFile } from './failure.ts';
import type { Manifest, ManifestFile } from './manifest.ts';
import type { Follow } from './write-export.ts';

interface Checking {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly follow: Follow;
  readonly signal: AbortSignal;
}

/** One SHA-256 per block: entry n is the hash of the file up to the end of block n. */
export type Prefixes = readonly string[];

/** Compares every file with the manifest before any is loaded. `readChecked` compares again, by the prefixes. */
export async function checkFiles(checking: Checking): Promise<ReadonlyMap<string, Prefixes>> {
  const { folder, manifest, follow, signal } = checking;
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = follow('checking', total);
  const checked = new Map<string, Prefixes>();
  try {
    for (const file of manifest.files) {
      checked.set(file.file, await checkFile(join(folder, file.file), file, progress.add, signal));
    }
  } finally {
    progress.done();
  }
  return checked;
}

async function checkFile(
  path: string,
  { file, bytes, sha256 }: ManifestFile,
  add: (count: number) => void,
  signal: AbortSignal,
): Promise<Prefixes> {
  const changed = (how: string) =>
    new TransferFailure(`${file} was changed: ${how}. Copy the export again, or create a new one.`);
  const { size } = await withFile(path, () => stat(path));
  if (size !== bytes) throw changed(`it has ${size} bytes, but the manifest says ${bytes}`);
  const hash = createHash('sha256');
  const prefixes: string[] = [];
  for await (const block of readBlocks(path)) {
    signal.throwIfAborted();
    prefixes.push(hash.update(block).copy().digest('hex'));
    add(block.length);
  }
  if (hash.digest('hex') !== sha256) throw changed('its checksum does not match');
  return prefixes;
}

/**
 * Reads the blocks of a file that `checkFiles` has checked. Compares each block before it yields it: throws if the file
 * was replaced or changed since, and yields nothing of the new content.
 */
export async function* readChecked(path: string, file: string, prefixes: Prefixes): AsyncGenerator<Buffer> {
  const changed = () =>
    new TransferFailure(
      `${file} was changed after it was checked. No changed data was imported. Copy the export again and run ` +
        'the same command: it continues where it stopped.',
    );
  const hash = createHash('sha256');
  let blocks = 0;
  for await (const block of readBlocks(path)) {
    if (hash.update(block).copy().digest('hex') !== prefixes[blocks++]) throw changed();
    yield block;
  }
  if (blocks !== prefixes.length) throw changed();
}
