import { isEmail, normalizeEmail, TEXT_FORMATS } from '@gatehouse/contract';
import { InvalidArgumentError } from 'commander';

/** Arguments have the same rules as fields of the API; an invalid one ends the command with exit code 2. */
export function readEmail(typed: string): string {
  if (!isEmail(typed)) throw new InvalidArgumentError('Not an email address.');
  return normalizeEmail(typed);
}

const MAX_NAME = 120;

export function readName(typed: string): string {
  if (!TEXT_FORMATS.name(typed) || [...typed].length > MAX_NAME) {
    throw new InvalidArgumentError(`Must be one line of 1 to ${MAX_NAME} characters.`);
  }
  return typed.trim();
}

export function readSlug(typed: string): string {
  if (!TEXT_FORMATS.slug(typed) || typed.length < 2 || typed.length > 63) {
    throw new InvalidArgumentError('Must be 2 to 63 lower-case letters and digits, separated by single hyphens.');
  }
  return typed;
}
