import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandFailure } from './failure.ts';

/** Asks at the terminal. What is typed is not shown. */
export function askSecret(question: string): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  // From here on the terminal shows nothing by itself; whoever sees the question may type.
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true });
  process.stderr.write(question);
  return new Promise<string>((resolve, reject) => {
    const stop = () => reject(new CommandFailure('Stopped.'));
    terminal.on('SIGINT', stop);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    terminal.on('close', () => reject(new CommandFailure('Nothing was typed.')));
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
