import { resolve } from 'node:path';
import { isFromFirstStart, isProduction } from '../../platform/config/env-file.ts';
import { ConfigError, type Environment, loadConfig } from '../../platform/config/load.ts';
import type { Config } from '../../platform/config/settings.ts';
import { connectTimeoutOf } from '../../platform/db/connect.ts';
import { isNew } from '../support/database.ts';
import {
  currentEnvironment,
  environmentFile,
  oddLines,
  processEnvironment,
  workingFolder,
} from '../support/environment.ts';
import { CommandFailure } from '../support/failure.ts';
import { askAddresses, examineAddress } from './address.ts';
import { examineCookies } from './cookies.ts';
import { examineDatabase, NEEDS_DATABASE } from './database.ts';
import { examineEncryption } from './encryption.ts';
import { examineFiles } from './files.ts';
import { command, type Finding, failed, NO_ADDRESS, ok, skipped, warning } from './finding.ts';
import { examineMailAccepts } from './mail-accepts.ts';
import { examineNode } from './node-version.ts';
import { examineInitialOwner } from './owner.ts';
import { examineMail, examineProviders, examineSealing, statesOf } from './providers.ts';
import { examineFailures, examineProxies } from './proxies.ts';
import { createReport, type Grouped, type Named, type Report } from './report.ts';
import { examineSecrets } from './secrets.ts';
import { examineAddresses, examineBranding, examineExportKey, examinePairs } from './settings.ts';

/** The timeout of all checks together. A whole run takes at most 15 seconds, plus what `connect_timeout` adds. */
const TOTAL_TIMEOUT_MS = 12_000;
/** Enough for a timeout at PUBLIC_BASE_URL and another one at the local port. */
const ADDRESS_MS = 7_000;
const MAIL_MS = 9_000;

const NEEDS_SETTINGS: readonly Named[] = [
  { group: 'Database', check: 'database' },
  ...NEEDS_DATABASE,
  { group: 'Keys', check: 'configuration key' },
  { group: 'Service', check: 'address' },
  { group: 'Mail', check: 'mail' },
  { group: 'Sign-in', check: 'providers' },
];

interface Options {
  /** Checks only the database and the files of this machine. */
  readonly offline: boolean;
}

/** §1: runs all checks independently, so that one run reports everything to fix. */
export async function examine({ offline }: Options): Promise<readonly Grouped[]> {
  const { config, environment, finding } = await examineEnvironment();
  const report = createReport(AbortSignal.timeout(TOTAL_TIMEOUT_MS + extraConnectTime(config)));
  report.add('Settings', examineNode(process.version));
  report.add('Settings', finding);
  report.checkNow('Settings', '.env', examineLines);
  if (!config) {
    report.skip(NEEDS_SETTINGS, 'correct the settings first');
    return report.findings();
  }
  // Network requests are slow: started first, awaited last.
  const hasAddress = Boolean(environment.PUBLIC_BASE_URL);
  const unchecked = offline ? 'not checked: --offline' : hasAddress ? undefined : NO_ADDRESS;
  const responses = unchecked === undefined ? askAddresses(config) : undefined;
  responses?.catch(() => {});
  await examineSettings(report, config, environment);
  const facts = await examineDatabase(report, config, Boolean(environment.JWT_SECRET));
  report.checkNow('Settings', 'TRUST_PROXY', () => examineProxies(config, facts.origins));
  report.checkNow('Settings', 'FAILURES_PER_ADDRESS', () => examineFailures(config));
  report.checkNow('Database', 'DATABASE_URL', () => examineEncryption(config, facts.encryption));
  report.checkNow('Keys', 'configuration key', () => examineSealing(config, facts.providers, facts.ssoSecrets));
  report.checkNow('Mail', 'mail', () => examineMail(config, facts.providers));
  report.checkNow('Sign-in', 'providers', () => examineProviders(config, facts.providers, hasAddress));
  if (responses) {
    const answered = async () => examineAddress(config, await responses, facts.kids);
    await report.check('Service', 'address', answered, ADDRESS_MS);
  } else report.add('Service', skipped('address', unchecked!));
  if (!offline)
    await report.check('Mail', 'mail', () => examineMailAccepts(config, statesOf(config, facts.providers)), MAIL_MS);
  return report.findings();
}

/** The part of `connect_timeout` that exceeds the default. */
function extraConnectTime({ DATABASE_URL }: Partial<Config> = {}): number {
  const defaultMs = connectTimeoutOf({ connectionString: 'postgresql://localhost' });
  return DATABASE_URL ? Math.max(0, connectTimeoutOf({ connectionString: DATABASE_URL }) - defaultMs) : 0;
}

function examineLines(): Finding[] {
  try {
    return oddLines().map(({ detail, remedy }) => warning('.env', detail, remedy));
  } catch (error) {
    // The file cannot be read: the check `environment` reports that.
    if (error instanceof CommandFailure) return [];
    throw error;
  }
}

async function examineSettings(report: Report, config: Config, environment: Environment): Promise<void> {
  const folder = workingFolder();
  report.checkNow('Settings', 'INITIAL_OWNER_EMAIL', () => examineInitialOwner(config));
  // Without PUBLIC_BASE_URL the configuration contains a placeholder address, which must not be checked.
  if (environment.PUBLIC_BASE_URL) report.checkNow('Settings', 'cookies', () => examineCookies(config));
  report.checkNow('Settings', 'addresses', () => [...examineAddresses(config), ...examinePairs(config)]);
  report.checkNow('Settings', 'AUDIT_EXPORT_KEY', () => examineExportKey(config));
  report.checkNow('Settings', 'branding', () => examineBranding(config));
  report.checkNow('Settings', 'secrets', () =>
    examineSecrets({ config, environment, fromFirstStart: isFromFirstStart(folder, processEnvironment) }),
  );
  await report.check('Settings', 'files', () => examineFiles(config, folder));
}

/** Placeholders for missing settings, so that the other checks can run; nothing is sealed or signed with them. */
const STAND_INS = { JWT_SECRET: 'stands in for a secret that is missing', PUBLIC_BASE_URL: 'http://localhost' };

interface Loaded {
  readonly config?: Config;
  readonly environment: Environment;
  readonly finding: Finding;
}

async function examineEnvironment(): Promise<Loaded> {
  const CHECK = 'environment';
  let environment: Environment = {};
  try {
    environment = currentEnvironment();
    const config = load(environment);
    const detail = `JWT_SECRET and PUBLIC_BASE_URL are set (${config.PUBLIC_BASE_URL})`;
    return { config, environment, finding: ok(CHECK, detail) };
  } catch (error) {
    if (error instanceof CommandFailure) {
      const isFolder = (error.cause as NodeJS.ErrnoException).code === 'EISDIR';
      return { environment, finding: failed(CHECK, error.message, isFolder ? 'Run: rmdir .env' : ASK_AS_OWNER) };
    }
    if (!(error instanceof ConfigError)) throw error;
    const config = loadWithStandIns(environment);
    const isFirst = !isProduction(environment) && !environmentFile() && (!config || (await isNew(config)));
    const hint = isFirst ? `; the first ${command('serve')} writes one` : '';
    const finding = failed(CHECK, error.faults.join('\n'), `Correct this in the environment or in .env${hint}.`);
    return { environment, finding, ...(config && { config }) };
  }
}

const ASK_AS_OWNER =
  'Run this as the user that the service runs as. If you are that user, run as root: chown <user> .env; chmod 600 .env';

function load(environment: Environment): Config {
  const config = loadConfig(environment);
  return { ...config, DATA_DIR: resolve(workingFolder(), config.DATA_DIR) };
}

function loadWithStandIns(environment: Environment): Config | undefined {
  const filled = Object.entries(STAND_INS).map(([name, value]) => [name, environment[name] || value]);
  try {
    return load({ ...environment, ...Object.fromEntries(filled) });
  } catch {
    return undefined;
  }
}
