import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Environment } from './load.ts';
import { isGiven } from './secret-files.ts';

const FILE = '.env';
const FIRST_LINE = '# Made at the first start, for development. Keep it secret; see docs/deploying.md for production.';

export const environmentFileIn = (folder: string): string | undefined => {
  const file = join(folder, FILE);
  return existsSync(file) ? file : undefined;
};

export const textOfEnvironmentFile = (folder: string): string | undefined => {
  const file = environmentFileIn(folder);
  // Removes a byte order mark, which would become part of the first name.
  return file && readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
};

/** The folder's `.env` (or its planned text), overridden by the process environment, even by empty values. */
export function readEnvironment(folder: string, environment: Environment, first?: FirstEnvironment): Environment {
  const text = textOfEnvironmentFile(folder) ?? first?.text;
  if (text === undefined) return environment;
  const written = parseEnv(text) as Environment;
  const moved = text.startsWith(FIRST_LINE) ? movedAddress(written, environment) : {};
  return { ...written, ...moved, ...environment };
}

/** Trims the value, as `loadConfig` does. */
export const isProduction = ({ NODE_ENV }: Environment): boolean => NODE_ENV?.trim() === 'production';

const localAt = (port = '8080'): string => `http://localhost:${port}`;
const isPort = (text = ''): boolean => /^[1-9]\d{0,4}$/.test(text) && Number(text) < 65_536;

/**
 * For `PORT=9000 npm start` in development: a port from the environment also replaces the port of the PUBLIC_BASE_URL
 * that the first start wrote. An address chosen by the operator is kept.
 */
function movedAddress({ NODE_ENV, PORT, PUBLIC_BASE_URL }: Environment, environment: Environment): Environment {
  const port = environment.PORT?.trim();
  const isDevelopment = !isProduction({ NODE_ENV: environment.NODE_ENV ?? NODE_ENV });
  return isDevelopment && isPort(port) && PUBLIC_BASE_URL === localAt(PORT) ? { PUBLIC_BASE_URL: localAt(port) } : {};
}

/** Whether the active `JWT_SECRET` is the one that the first development `serve` generated. */
export function isFromFirstStart(folder: string, environment: Environment): boolean {
  if (environment.JWT_SECRET !== undefined || isGiven(environment, 'JWT_SECRET')) return false;
  const text = textOfEnvironmentFile(folder) ?? '';
  return text.startsWith(FIRST_LINE) && parseEnv(text).JWT_SECRET !== undefined;
}

export interface FirstEnvironment {
  readonly file: string;
  readonly text: string;
}

/**
 * What the first development `serve` writes into a missing `.env`, with new secrets. Nothing else writes that file.
 * Returns undefined if there is nothing to write. An operator who sets JWT_SECRET must also set CONFIG_ENCRYPTION_KEY.
 */
export function planFirstEnvironment(folder: string, environment: Environment): FirstEnvironment | undefined {
  const file = join(folder, FILE);
  const missing = (name: string) => !isGiven(environment, name);
  if (isProduction(environment) || existsSync(file)) return undefined;
  if (!missing('JWT_SECRET') && !missing('PUBLIC_BASE_URL')) return undefined;
  const lines = [FIRST_LINE];
  if (missing('JWT_SECRET')) lines.push(`JWT_SECRET=${randomBytes(48).toString('base64url')}`);
  if (missing('PUBLIC_BASE_URL')) {
    // Writes the port too, so that the next start, without PORT in the environment, listens where links point.
    const port = environment.PORT?.trim();
    if (isPort(port)) lines.push(`PORT=${port}`);
    lines.push(`PUBLIC_BASE_URL=${localAt(isPort(port) ? port : undefined)}`);
  }
  if (missing('JWT_SECRET') && environment.CONFIG_ENCRYPTION_KEY === undefined && missing('CONFIG_ENCRYPTION_KEY')) {
    lines.push(`CONFIG_ENCRYPTION_KEY=${randomBytes(32).toString('base64')}`);
  }
  return { file, text: `${lines.join('\n')}\n` };
}

/** Never overwrites a file (`wx`); readable only by its owner (0600). */
export const writeFirstEnvironment = ({ file, text }: FirstEnvironment): void =>
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
