import { CommandFailure } from './failure.ts';

const MOST = 64 * 1024;

/** Whoever writes it may keep the pipe open behind it. `what` it is, for people. */
export async function firstLine(input: AsyncIterable<Buffer | string>, what: string): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk as string)]);
    if (bytes.includes('\n') || bytes.length > MOST) break;
  }
  const end = bytes.indexOf('\n');
  return decode(end < 0 ? bytes : bytes.subarray(0, end), what).replace(/\r$/, '');
}

/** What cannot be read as it was meant must not become a secret that nobody can type again. */
function decode(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${what} is not UTF-8.`);
  }
}
