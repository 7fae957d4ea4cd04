import { serializeError } from '../../platform/log.ts';

interface SerializedError {
  readonly type?: string;
  readonly message?: string;
  readonly code?: string;
  /** Only in errors of the database. */
  readonly constraint?: string;
  readonly stack?: string;
  readonly cause?: SerializedError;
}

/** Formats an error, redacted like the log: database errors can contain emails and hashes. */
export function describeUnexpected(error: unknown): string {
  return error instanceof Error ? inWords(serializeError(error)) : `A value that is not an Error was thrown: ${error}`;
}

function inWords(error: SerializedError): string {
  const { type, message, code, stack, cause } = error;
  const isDatabase = 'constraint' in error;
  const what = isDatabase ? `Database error: ${message} (SQLSTATE ${code})` : `${type}: ${message}\n${stack}`;
  return cause === undefined ? what : `${what}\nCaused by: ${inWords(cause)}`;
}
