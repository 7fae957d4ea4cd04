import { serializeError } from '../../platform/log.ts';

interface Told {
  readonly type?: string;
  readonly message?: string;
  readonly code?: string;
  /** There for errors of the database alone. */
  readonly constraint?: string;
  readonly stack?: string;
  readonly cause?: Told;
}

/**
 * An error that no command foresaw, for the terminal and for whatever keeps what it shows. A database quotes the row it stumbled
 * over, emails and hashes with it: of its errors no more is told than what the log has.
 */
export function describeUnexpected(error: unknown): string {
  return error instanceof Error ? inWords(serializeError(error)) : `A value that is not an Error was thrown: ${error}`;
}

function inWords(told: Told): string {
  const { type, message, code, stack, cause } = told;
  const isDatabase = 'constraint' in told;
  const what = isDatabase ? `Database error: ${message} (SQLSTATE ${code})` : `${type}: ${message}\n${stack}`;
  return cause === undefined ? what : `${what}\nCaused by: ${inWords(cause)}`;
}
