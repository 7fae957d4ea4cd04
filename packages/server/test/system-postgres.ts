import { existsSync, readdirSync } from 'node:fs';

/** Finds the newest PostgreSQL, 15 or later, that is installed on this machine. */
export function findSystemPostgres(): string | undefined {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base)
    ? readdirSync(base)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const newest = versions.sort((a, b) => b - a)[0];
  const folder = `${base}/${newest}/bin`;
  return newest !== undefined && existsSync(`${folder}/postgres`) ? folder : undefined;
}
