import { LIMITS } from '@gatehouse/contract';
import { askSecret } from './ask-secret.ts';
import { CommandFailure } from './failure.ts';
import { firstLine } from './first-line.ts';

const { min, max } = LIMITS.password;

/**
 * Typed twice at the terminal; otherwise the first line of standard input. Never on the command line, where other users of
 * the machine could read it.
 */
export async function newPassword(whose: string): Promise<string> {
  const password = process.stdin.isTTY
    ? await askSecret(`Password for ${whose}, ${min} characters or more: `)
    : await firstLine(process.stdin, 'The password on standard input');
  const length = [...password].length;
  if (length < min || length > max) throw new CommandFailure(`The password must be ${min} to ${max} characters long.`);
  if (process.stdin.isTTY && (await askSecret('Once more: ')) !== password) {
    throw new CommandFailure('The two are not the same.');
  }
  return password;
}
