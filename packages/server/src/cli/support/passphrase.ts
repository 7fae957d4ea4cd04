import { createReadStream } from 'node:fs';
import { Option } from 'commander';
import { CommandFailure } from './failure.ts';
import { askSecret, firstLine, hasTerminal } from './read-secret.ts';

const MIN_LENGTH = 12;

/** The passphrase is never an argument, which other users of the machine could read. */
export const passphraseOption = (): Option =>
  new Option('--passphrase-file <file>', 'file whose first line is the passphrase; - reads standard input');

async function readPassphrase(file: string | undefined, question: string): Promise<string> {
  if (file !== undefined) return lineOf(file);
  if (!hasTerminal()) {
    throw new CommandFailure('There is no terminal to prompt for the passphrase. Use --passphrase-file <file>.');
  }
  return askSecret(question);
}

const lineOf = (file: string): Promise<string> =>
  firstLine(file === '-' ? process.stdin : createReadStream(file), 'The passphrase').catch((error) => {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`The passphrase cannot be read from ${file} (${error.code}).`);
  });

export const knownPassphrase = (file: string | undefined): Promise<string> =>
  readPassphrase(file, 'Passphrase of the export: ');

/** A new passphrase: long enough and, at the terminal, entered twice. */
export async function newPassphrase(file: string | undefined): Promise<string> {
  const passphrase = await readPassphrase(file, `Passphrase for the export (at least ${MIN_LENGTH} characters): `);
  if ([...passphrase].length < MIN_LENGTH) {
    throw new CommandFailure(`The passphrase is too short: it must have at least ${MIN_LENGTH} characters.`);
  }
  if (file === undefined && (await askSecret('Repeat the passphrase: ')) !== passphrase) {
    throw new CommandFailure('The passphrases do not match.');
  }
  return passphrase;
}
