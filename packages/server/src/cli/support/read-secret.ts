import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailure } from './failure.ts';

/** Prompts at the terminal without echo. */
export function askSecret(question: string): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Disables the echo before the prompt appears.
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true });
  process.stderr.write(question);
  return new Promise<string>((resolve, reject) => {
    const stop = () => reject(new CommandFailure('Stopped.'));
    terminal.on('SIGINT', stop);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    terminal.on('close', () => reject(new CommandFailure('Nothing was entered.')));
    terminal.on('close', () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
    });
    terminal.question('', resolve);
  }).finally(() => {
    terminal.close();
    process.stderr.write('\n');
  });
}

export const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

const MAX_LINE_BYTES = 64 * 1024;

/** Reads one line, even if the writer keeps the pipe open. `what` names the secret in messages. */
export async function firstLine(input: AsyncIterable<Buffer | string>, what: string): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of input) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk as string)]);
    if (bytes.includes('\n') || bytes.length > MAX_LINE_BYTES) break;
  }
  const end = bytes.indexOf('\n');
  return decode(end < 0 ? bytes : bytes.subarray(0, end), what).replace(/\r$/, '');
}

/** Rejects invalid UTF-8: the secret could not be typed again. */
function decode(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandFailure(`${what} is not UTF-8.`);
  }
}
