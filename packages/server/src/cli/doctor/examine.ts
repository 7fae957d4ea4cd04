import { resolve } from 'node:path';
import { ConfigError, loadConfig } from '../../platform/config/load.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createLogger } from '../../platform/log.ts';
import { explainDatabase, isNew, openDatabase } from '../database.ts';
import { currentEnvironment, misspelt, workingFolder } from '../environment.ts';
import { type Examined, examineDatabase } from './database.ts';
import { type Finding, failed, ok, skipped, warning } from './finding.ts';
import { examineInitialOwner } from './owner.ts';
import { examineProviders } from './providers.ts';
import { examineAddresses, examineExportKey, examinePairs } from './settings.ts';

const NEEDS_DATABASE = ['migrations', 'signing keys', 'second factors', 'platform owner'];
const NEEDS_SETTINGS = ['database', ...NEEDS_DATABASE, 'configuration key', 'mail', 'providers'];

/** §1: all checks, each standing for itself, so that one run tells everything there is to mend. */
export async function examine(): Promise<Finding[]> {
  const { config, finding } = examineEnvironment();
  if (!config) return [finding, ...NEEDS_SETTINGS.map((check) => skipped(check, 'the settings come first'))];
  const { findings, providers } = await reachDatabase(config);
  return [
    finding,
    ...misspelt().map((name) =>
      warning('.env', `${name} is not a setting of Gatehouse`, 'Correct its name or remove it.'),
    ),
    ...examineInitialOwner(config),
    ...examineAddresses(config),
    ...examinePairs(config),
    ...examineExportKey(config),
    ...findings,
    ...examineProviders(config, providers),
  ];
}

/** Stands in for a missing secret while the rest is looked at; nothing is sealed or signed with it. */
const STAND_INS = { JWT_SECRET: 'stands in for a secret that is missing', PUBLIC_BASE_URL: 'http://localhost' };

function examineEnvironment(): { config?: Config; finding: Finding } {
  const environment = currentEnvironment();
  const settle = (config: Config) => ({ ...config, DATA_DIR: resolve(workingFolder(), config.DATA_DIR) });
  try {
    const config = settle(loadConfig(environment));
    return { config, finding: ok('environment', `JWT_SECRET and PUBLIC_BASE_URL are set (${config.PUBLIC_BASE_URL})`) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const finding = failed(
      'environment',
      error.faults.join('\n'),
      environment.NODE_ENV === 'production'
        ? 'Correct this in the environment or in .env.'
        : 'Correct this in the environment or in .env; the first `npm start` writes one.',
    );
    try {
      const filled = Object.entries(STAND_INS).map(([name, value]) => [name, environment[name] || value]);
      return { config: settle(loadConfig({ ...environment, ...Object.fromEntries(filled) })), finding };
    } catch {
      return { finding };
    }
  }
}

async function reachDatabase(config: Config): Promise<Examined> {
  const unreached = (finding: Finding): Examined => ({
    findings: [finding, ...NEEDS_DATABASE.map((check) => skipped(check, 'no database'))],
    providers: undefined,
  });
  // The doctor changes nothing: it does not make a database only to look at it.
  if (await isNew(config)) {
    const fix = 'Run `npm start` once, or set DATABASE_URL.';
    return unreached(failed('database', `there is none in ${config.DATA_DIR} yet`, fix));
  }
  try {
    const database = await openDatabase({ config, log: createLogger({ level: 'silent' }), role: 'tool' });
    try {
      return await examineDatabase(config, database);
    } finally {
      await database.close();
    }
  } catch (error) {
    const { detail, fix } = explainDatabase(config, error);
    return unreached(failed('database', detail, fix));
  }
}
