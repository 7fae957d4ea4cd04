const NEWLINE = 0x0a;

export interface BatchSize {
  readonly rows: number;
  readonly bytes: number;
}

interface Options extends BatchSize {
  readonly skip: number;
}

/** Reads lines in batches, to bound memory. Only a newline ends a line: texts may contain all other line breaks. */
export async function* readBatches(
  chunks: AsyncIterable<Buffer>,
  { rows, bytes, skip }: Options,
): AsyncGenerator<string[]> {
  let batch: string[] = [];
  let size = 0;
  let passed = 0;
  let pieces: Buffer[] = [];
  for await (const chunk of chunks) {
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
