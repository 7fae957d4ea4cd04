import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Chunks } from './records.ts';
import { UnreadableFile } from './unreadable-file.ts';

const GZIP = 0x1f8b;

/** What is in the file, unpacked if it is packed. `onBytes` hears how much of the file itself was read. */
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
    // What goes wrong arrives where the end of the line is read.
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
