import { type FileHandle, constants as flag, lstat, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openGuarded } from './guarded-file.ts';

const ROTATE_BYTES = 10 * 1024 * 1024;
const TAIL_LINES = 8;
const TAIL_BYTES = 8192;

export interface LogFile {
  path: string;
  /** The offset in bytes at which the lines of this start begin. */
  from: number;
}

/** Keeps one older log. PostgreSQL gets the handle, because the path could refer to another file by then. */
export async function openLogFile(dataDir: string): Promise<{ log: LogFile; handle: FileHandle }> {
  const path = join(dataDir, 'postgres.log');
  const before = await lstat(path).catch(() => undefined);
  if (before?.isFile() && before.size > ROTATE_BYTES) await rename(path, `${path}.1`);
  const handle = await openGuarded(path, flag.O_WRONLY | flag.O_CREAT | flag.O_APPEND);
  return { log: { path, from: (await handle.stat()).size }, handle };
}

export async function readTail({ path, from }: LogFile): Promise<string> {
  const handle = await openGuarded(path, flag.O_RDONLY);
  try {
    const { size } = await handle.stat();
    const start = Math.max(from, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, size - start)), 0, undefined, start);
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-TAIL_LINES).join('\n');
  } finally {
    await handle.close();
  }
}
