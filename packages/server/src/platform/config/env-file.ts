import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from './load.ts';

const FILE = '.env';
const FIRST_LINE = '# Made at the first start, for development. Keep it secret; see docs/deploying.md for production.';

export const environmentFileIn = (folder: string): string | undefined => {
  const file = join(folder, FILE);
  return existsSync(file) ? file : undefined;
};

export const textOfEnvironmentFile = (folder: string): string | undefined => {
  const file = environmentFileIn(folder);
  // Some editors begin a file with a mark that nobody sees, and that would be a part of the first name.
  return file && readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
};

/** `.env` of the folder, or what is to become it, under the process environment: a variable of the environment wins, also when it is empty. */
export function readEnvironment(folder: string, environment: Environment, first?: FirstEnvironment): Environment {
  const text = textOfEnvironmentFile(folder) ?? first?.text;
  if (text === undefined) return environment;
  const written = parseEnv(text) as Environment;
  const moved = text.startsWith(FIRST_LINE) ? movedAddress(written, environment) : {};
  return { ...written, ...moved, ...environment };
}

/** As the settings read it: a space beside it is none of it. */
export const isProduction = ({ NODE_ENV }: Environment): boolean => NODE_ENV?.trim() === 'production';

const localAt = (port = '8080'): string => `http://localhost:${port}`;
const isPort = (text = ''): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) < 65_536;

/**
 * `PORT=9000 npm start` means another address too: in development a port of the environment moves the one that the first start
 * has written. An address that somebody has chosen stays.
 */
function movedAddress({ NODE_ENV, PORT, PUBLIC_BASE_URL }: Environment, environment: Environment): Environment {
  const port = environment.PORT?.trim();
  const isDevelopment = !isProduction({ NODE_ENV: environment.NODE_ENV ?? NODE_ENV });
  return isDevelopment && isPort(port) && PUBLIC_BASE_URL === localAt(PORT) ? { PUBLIC_BASE_URL: localAt(port) } : {};
}

/** Whether `JWT_SECRET` is in force as the first development `serve` has written it. */
export function isFromFirstStart(folder: string, environment: Environment): boolean {
  if (environment.JWT_SECRET !== undefined) return false;
  const text = textOfEnvironmentFile(folder) ?? '';
  return text.startsWith(FIRST_LINE) && parseEnv(text).JWT_SECRET !== undefined;
}

export interface FirstEnvironment {
  readonly file: string;
  readonly text: string;
}

/**
 * What the first development `serve` writes into a missing `.env`, with fresh secrets; nothing else ever writes it. Undefined: there is
 * nothing to do. Whoever brings a secret of their own brings the other, too.
 */
export function planFirstEnvironment(folder: string, environment: Environment): FirstEnvironment | undefined {
  const file = join(folder, FILE);
  const missing = (name: string) => !environment[name];
  if (isProduction(environment) || existsSync(file)) return undefined;
  if (!missing('JWT_SECRET') && !missing('PUBLIC_BASE_URL')) return undefined;
  const lines = [FIRST_LINE];
  if (missing('JWT_SECRET')) lines.push(`JWT_SECRET=${randomBytes(48).toString('base64url')}`);
  if (missing('PUBLIC_BASE_URL')) {
    // The two belong together: the next start, without that variable, shall stand where links lead.
    const port = environment.PORT?.trim();
    if (isPort(port)) lines.push(`PORT=${port}`);
    lines.push(`PUBLIC_BASE_URL=${localAt(isPort(port) ? port : undefined)}`);
  }
  if (missing('JWT_SECRET') && environment.CONFIG_ENCRYPTION_KEY === undefined) {
    lines.push(`CONFIG_ENCRYPTION_KEY=${randomBytes(32).toString('base64')}`);
  }
  return { file, text: `${lines.join('\n')}\n` };
}

/** `wx` and 0600: never over an existing file, never readable by others. */
export const writeFirstEnvironment = ({ file, text }: FirstEnvironment): void =>
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
