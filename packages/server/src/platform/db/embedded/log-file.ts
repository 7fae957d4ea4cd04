import { open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { giveToFolderOwner } from './durable-file.ts';

const LARGE = 10 * 1024 * 1024;
const TAIL_LINES = 8;
const TAIL_BYTES = 8192;

export interface LogFile {
  path: string;
  /** Where the lines of this start begin. */
  from: number;
}

/** One older log is kept. */
export async function prepareLogFile(dataDir: string): Promise<LogFile> {
  const path = join(dataDir, 'postgres.log');
  let from = await sizeOf(path);
  if (from > LARGE) {
    await rename(path, `${path}.1`);
    from = 0;
  }
  const handle = await open(path, 'a', 0o600);
  await handle.close();
  await giveToFolderOwner(path);
  return { path, from };
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The last lines that were written since. */
export async function readTail({ path, from }: LogFile): Promise<string> {
  const size = await sizeOf(path);
  const start = Math.max(from, size - TAIL_BYTES);
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, size - start)), 0, undefined, start);
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-TAIL_LINES).join('\n');
  } finally {
    await handle.close();
  }
}
