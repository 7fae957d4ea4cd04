import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { openLogOutput } from './log-output.ts';

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
  'recovery_codes',
  'otpauth_url',
  'qr_code',
  'access_token',
  'refresh_token',
  'authorization',
  'cookie',
  'set-cookie',
];

/** Paths that match the name at the top level and one or two levels down. `err.code` is an error code, not a secret. */
const pathsTo = (name: string): string[] => {
  const key = name.includes('-') ? `["${name}"]` : `.${name}`;
  if (name === 'code') return ['code', 'body.code', '*.body.code'];
  return [key.replace(/^\./, ''), `*${key}`, `*.*${key}`];
};

/** Database errors quote values, so only fields that cannot contain values are kept; the same applies to causes. */
export function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, severity, constraint, table, cause } = error as Error & Record<string, unknown>;
  const isDatabase = severity !== undefined && typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  const frames = String(error.stack)
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .join('\n');
  return {
    type: error.constructor.name,
    message: isDatabase && code.startsWith('22') ? 'a value was refused by the database' : error.message,
    ...(code !== undefined && { code }),
    ...(isDatabase && { constraint, table }),
    stack: frames,
    ...(cause !== undefined && { cause: serializeError(cause) }),
  };
}

interface LogOptions {
  level: string;
  /** Default: standard output. */
  stream?: DestinationStream;
  /** The worker's number if there are several. */
  worker?: number;
}

export const createLogger = ({ level, stream, worker }: LogOptions): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid, ...(worker !== undefined && { worker }) },
      serializers: { err: serializeError },
      redact: { paths: SECRETS.flatMap(pathsTo), censor: '[redacted]' },
    },
    ...(stream ? [stream] : []),
  );

/** Formatted lines for a terminal, JSON otherwise. The formatter is loaded only if it is needed. */
export async function openLogStream(terminal: boolean): Promise<DestinationStream> {
  if (!terminal) {
    const output = openLogOutput();
    process.on('exit', () => output.flush());
    return output;
  }
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    colorize: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
  });
}
