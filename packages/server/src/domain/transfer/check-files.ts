import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TransferFailure, withFile } from './failure.ts';
import { readChunks } from './lines.ts';
import type { Manifest, ManifestFile } from './manifest.ts';
import type { Follow } from './write-export.ts';

interface Checking {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly follow: Follow;
  readonly signal: AbortSignal;
}

/** Every file whole and as it was written, or nothing is loaded. */
export async function checkFiles({ folder, manifest, follow, signal }: Checking): Promise<void> {
  const total = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = follow('checking', total);
  try {
    for (const file of manifest.files) await checkFile(join(folder, file.file), file, progress.add, signal);
  } finally {
    progress.done();
  }
}

async function checkFile(
  path: string,
  { file, bytes, sha256 }: ManifestFile,
  add: (count: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const changed = (how: string) =>
    new TransferFailure(`${file} is not as it was written: ${how}. Copy the export again, or make a new one.`);
  const { size } = await withFile(path, () => stat(path));
  if (size !== bytes) throw changed(`it has ${size} bytes, and the manifest says ${bytes}`);
  const hash = createHash('sha256');
  for await (const chunk of readChunks(path)) {
    signal.throwIfAborted();
    hash.update(chunk);
    add(chunk.length);
  }
  if (hash.digest('hex') !== sha256) throw changed('its checksum is another');
}
