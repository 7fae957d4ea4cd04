import { certificateFault } from '../doctor/network-words.ts';
import { CommandFailure } from './failure.ts';

/** SQLSTATEs: connection failed or lost, authentication failed, no resources, privilege missing, or timeout. */
const SQL_STATES = /^(08|28|3D|53|57P0|57014$|55P03$|25P0[34]$|42501$)/;
const NETWORK = /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|EAI_|EHOST|ENET|EPROTO$|ERR_SSL_)/;

const TIMEOUTS = [
  'Connection terminated due to connection timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
];
const NO_TLS = 'The server does not support SSL connections';
const NO_POSTGRES = 'There was an error establishing an SSL connection';
/** Errors of the driver without a code. */
const DRIVER = new Set([
  ...TIMEOUTS,
  NO_TLS,
  NO_POSTGRES,
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
]);

export function isAboutDatabase(error: unknown): boolean {
  if (error instanceof CommandFailure) return false;
  const { code, message = '', syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) return DRIVER.has(message);
  // Only if the socket of the database is missing or not accessible; errors about other files are unrelated.
  if (code === 'ENOENT' || code === 'EACCES') return syscall === 'connect';
  return SQL_STATES.test(code) || NETWORK.test(code) || certificateFault(code) !== undefined;
}

export function databaseRemedy({ code = '', message }: Error & { code?: string }): string {
  if (code === '3D000') return 'Create that database, or correct DATABASE_URL.';
  if (code === '42501') return 'Make its user the owner of the database.';
  if (code === '53100') return 'Its disk is full: free disk space, then run the same command again.';
  if (code === '53300') return 'All its connections are in use: close some, or raise its max_connections.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'Correct the host in DATABASE_URL, or add the host name to DNS.';
  if (code === 'ETIMEDOUT' || TIMEOUTS.includes(message)) {
    return 'Check whether it is overloaded or blocked by a firewall, and try again. If it must wake up first, add connect_timeout=20 to DATABASE_URL.';
  }
  if (code === '57014' || code === '55P03') return 'It is overloaded: try again later.';
  // A pooler rejects our startup parameters with this code.
  if (code === '08P01') return 'If DATABASE_URL points to a pooler, set DATABASE_POOLER. See docs/scaling.md.';
  if (/^(no pg_hba\.conf entry|pg_hba\.conf rejects)/.test(message)) return admissionRemedy(message);
  if (code.startsWith('28')) return 'Correct the user and password in DATABASE_URL.';
  if (message === NO_TLS) {
    // Does not simply advise to disable TLS: a man in the middle can also answer that the server has no TLS.
    return 'Set `ssl = on` on the server. Remove sslmode from DATABASE_URL only if the server is on this machine: on a network the password would be sent unencrypted.';
  }
  if (message === NO_POSTGRES) return 'The server is not a PostgreSQL: correct the host and port in DATABASE_URL.';
  if (/^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)) {
    return 'Add the file with its CA certificate to DATABASE_URL: sslmode=verify-full&sslrootcert=<file>.';
  }
  return certificateFault(code)?.fix ?? 'Start it, or correct DATABASE_URL.';
}

/** pg_hba.conf admits by host, user, database and encryption. */
const admissionRemedy = (message: string): string =>
  message.endsWith('no encryption')
    ? 'Add sslmode=verify-full to DATABASE_URL. If the server needs no encryption, allow this host and user in its pg_hba.conf.'
    : "Allow this host and user in the server's pg_hba.conf.";
