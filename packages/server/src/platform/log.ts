import { type DestinationStream, type Logger as PinoLogger, pino, stdSerializers } from 'pino';

export type Logger = PinoLogger;

const SECRETS = [
  'password',
  'new_password',
  'current_password',
  'owner_password',
  'secret',
  'token',
  'mfa_token',
  'code',
  'recovery_code',
  'access_token',
  'authorization',
  'cookie',
];

/** A database error quotes the values it stumbled over; only what cannot hold one is kept. */
export function serializeError(error: Error): object {
  const plain = stdSerializers.err(error) as unknown as Record<string, unknown>;
  const sqlState = typeof plain.code === 'string' && /^[0-9A-Z]{5}$/.test(plain.code) ? plain.code : undefined;
  if (!sqlState || !('severity' in plain)) return plain;
  const message = sqlState.startsWith('22') ? 'a value was refused by the database' : plain.message;
  const stack = String(plain.stack)
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n');
  return { type: 'DatabaseError', message, code: sqlState, constraint: plain.constraint, table: plain.table, stack };
}

export interface LogOptions {
  level: string;
  /** Where lines go; standard output when left out. */
  stream?: DestinationStream;
}

export const createLogger = ({ level, stream }: LogOptions): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      serializers: { err: serializeError },
      redact: {
        paths: SECRETS.flatMap((name) => [name, name === 'code' ? 'body.code' : `*.${name}`]),
        censor: '[redacted]',
      },
    },
    ...(stream ? [stream] : []),
  );

/** Lines for people on a terminal, JSON for everything else. The formatter is loaded only where somebody looks. */
export async function openLogStream(terminal: boolean): Promise<DestinationStream | undefined> {
  if (!terminal) return undefined;
  const { default: pretty } = await import('pino-pretty');
  return pretty({ colorize: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss', sync: true });
}
