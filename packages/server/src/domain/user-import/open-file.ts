import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Chunks } from './records.ts';
import { UnreadableFile } from './unreadable-file.ts';

const GZIP = 0x1f8b;

/** The content of the file, decompressed if it is gzip. `onBytes` receives the number of bytes read from the file. */
export async function* openFile(path: string, onBytes: (count: number) => void = () => {}): Chunks {
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(path)) {
      onBytes(chunk.length);
      yield chunk;
    }
  };
  if (!(await isPacked(path))) {
    yield* counted();
    return;
  }
  try {
    // Errors of all stages are thrown by the last one.
    yield* pipeline(counted(), createGunzip(), () => {});
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code?.startsWith('Z_') ? new UnreadableFile('it cannot be unpacked: it is incomplete or corrupted') : error;
  }
}

async function isPacked(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE(0) === GZIP;
  } finally {
    await file.close();
  }
}
