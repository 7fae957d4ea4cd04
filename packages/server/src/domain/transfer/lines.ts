import { createReadStream } from 'node:fs';
import { fileFailure } from './failure.ts';

const NEWLINE = 0x0a;
const CHUNK = 256 * 1024;

export interface BatchSize {
  readonly rows: number;
  readonly bytes: number;
}

interface Options extends BatchSize {
  /** Lines that are passed over. */
  readonly skip: number;
}

/**
 * A file's lines, so many at once, in memory for a batch however long the file is. Only a newline ends a line: a text may
 * hold every other character that some programs take for one.
 */
export async function* readBatches(path: string, { rows, bytes, skip }: Options): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let size = 0;
  let passed = 0;
  let pieces: Buffer[] = [];
  for await (const chunk of readChunks(path)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      const line = pieces.length === 0 ? piece : Buffer.concat([...pieces, piece]);
      pieces = [];
      if (passed++ < skip) continue;
      batch.push(line.toString('utf8'));
      size += line.length;
      if (batch.length < rows && size < bytes) continue;
      yield batch;
      batch = [];
      size = 0;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  if (batch.length > 0) yield batch;
}

/** What goes wrong here is about the file; what goes wrong with its lines is not. */
export async function* readChunks(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK })) yield chunk;
  } catch (error) {
    throw fileFailure(path, error);
  }
}
