import { existsSync, readdirSync } from 'node:fs';

const BASE = '/usr/lib/postgresql';

/** Finds the PostgreSQL that `TEST_POSTGRES` names, else the newest one, 15 or later, that is installed. */
export function findSystemPostgres(wanted = process.env.TEST_POSTGRES): string | undefined {
  const versions = existsSync(BASE) ? readdirSync(BASE).map(Number) : [];
  const installed = versions.filter((version) => version >= 15 && existsSync(`${BASE}/${version}/bin/postgres`));
  const version = wanted ? Number(wanted) : installed.sort((a, b) => b - a)[0];
  if (version === undefined) return undefined;
  if (!installed.includes(version)) throw new Error(`TEST_POSTGRES: PostgreSQL ${wanted} is not in ${BASE}.`);
  return `${BASE}/${version}/bin`;
}
