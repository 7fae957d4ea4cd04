import { createInterface } from 'node:readline/promises';
import { hasTerminal } from './read-secret.ts';

/** Asks a question at the terminal. Returns false without a terminal, or unless the answer is `y` or `yes`. */
export async function confirm(question: string): Promise<boolean> {
  if (!hasTerminal()) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
