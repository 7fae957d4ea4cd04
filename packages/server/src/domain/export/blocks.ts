import { open } from 'node:fs/promises';
import { withFile } from './failure.ts';

export const BLOCK_BYTES = 1024 ** 2;

/** Reads a file in blocks of exactly `BLOCK_BYTES`, except for the last one. */
export async function* readBlocks(path: string): AsyncGenerator<Buffer> {
  const handle = await withFile(path, () => open(path));
  try {
    for (let position = 0; ; position += BLOCK_BYTES) {
      const block = Buffer.allocUnsafe(BLOCK_BYTES);
      let filled = 0;
      while (filled < BLOCK_BYTES) {
        const rest = { offset: filled, length: BLOCK_BYTES - filled, position: position + filled };
        const { bytesRead } = await withFile(path, () => handle.read(block, rest));
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled > 0) yield block.subarray(0, filled);
      if (filled < BLOCK_BYTES) return;
    }
  } finally {
    await handle.close();
  }
}
