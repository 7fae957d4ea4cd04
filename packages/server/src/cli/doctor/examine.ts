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
import { examineAddress, listen } from './address.ts';
import { examineCookies } from './cookies.ts';
import { examineDatabase, NEEDS_DATABASE } from './database.ts';
import { examineEncryption } from './encryption.ts';
import { examineFiles } from './files.ts';
import { command, type Finding, failed, ok, skipped, warning } from './finding.ts';
import { examineMailAccepts } from './mail-accepts.ts';
import { examineNode } from './node-version.ts';
import { examineInitialOwner } from './owner.ts';
import { examineMail, examineProviders, examineSealing, statesOf } from './providers.ts';
import { examineFailures, examineProxies } from './proxies.ts';
import { createReport, type Grouped, type Named, type Report } from './report.ts';
import { examineSecrets } from './secrets.ts';
import { examineAddresses, examineExportKey, examinePairs } from './settings.ts';

/** Milliseconds for all questions, whatever is down; with its start and its end a run takes 15 seconds at most, and what `connect_timeout` adds. */
const TIME = 12_000;
/** Two questions to the address, and one more to the port. */
const LISTENING = 7_000;
const MAILING = 9_000;

const NEEDS_SETTINGS: readonly Named[] = [
  { group: 'Database', check: 'database' },
  ...NEEDS_DATABASE,
  { group: 'Keys', check: 'configuration key' },
  { group: 'Service', check: 'address' },
  { group: 'Mail', check: 'mail' },
  { group: 'Sign-in', check: 'providers' },
];

interface Options {
  /** Asks the database and the files of this machine, and nobody else. */
  readonly offline: boolean;
}

/** §1: all checks, each standing for itself, so that one run tells everything there is to mend. */
export async function examine({ offline }: Options): Promise<readonly Grouped[]> {
  const { config, environment, finding } = await examineEnvironment();
  const report = createReport(AbortSignal.timeout(TIME + wakingTime(config)));
  report.add('Settings', examineNode(process.version));
  report.add('Settings', finding);
  report.judge('Settings', '.env', examineLines);
  if (!config) {
    report.skip(NEEDS_SETTINGS, 'correct the settings first');
    return report.findings();
  }
  // What others have to say may take its time: they are asked first, and heard last.
  const listened = offline ? undefined : listen(config);
  listened?.catch(() => {});
  await examineSettings(report, config, environment);
  const facts = await examineDatabase(report, config, Boolean(environment.JWT_SECRET));
  report.judge('Settings', 'TRUST_PROXY', () => examineProxies(config, facts.origins));
  report.judge('Settings', 'FAILURES_PER_ADDRESS', () => examineFailures(config));
  report.judge('Database', 'DATABASE_URL', () => examineEncryption(config, facts.encryption));
  report.judge('Keys', 'configuration key', () => examineSealing(config, facts.providers));
  report.judge('Mail', 'mail', () => examineMail(config, facts.providers));
  report.judge('Sign-in', 'providers', () => examineProviders(config, facts.providers));
  if (!listened) {
    report.add('Service', skipped('address', 'not checked: --offline'));
    return report.findings();
  }
  await report.look('Service', 'address', async () => examineAddress(config, await listened, facts.kids), LISTENING);
  await report.look('Mail', 'mail', () => examineMailAccepts(config, statesOf(config, facts.providers)), MAILING);
  return report.findings();
}

/** What its URL allows the database beyond the usual. */
function wakingTime({ DATABASE_URL }: Partial<Config> = {}): number {
  const usual = connectTimeoutOf({ connectionString: 'postgresql://localhost' });
  return DATABASE_URL ? Math.max(0, connectTimeoutOf({ connectionString: DATABASE_URL }) - usual) : 0;
}

function examineLines(): Finding[] {
  try {
    return oddLines().map(({ detail, remedy }) => warning('.env', detail, remedy));
  } catch (error) {
    // It cannot be read: the check of the environment says so.
    if (error instanceof CommandFailure) return [];
    throw error;
  }
}

async function examineSettings(report: Report, config: Config, environment: Environment): Promise<void> {
  const folder = workingFolder();
  report.judge('Settings', 'INITIAL_OWNER_EMAIL', () => examineInitialOwner(config));
  report.judge('Settings', 'cookies', () => examineCookies(config));
  report.judge('Settings', 'addresses', () => [...examineAddresses(config), ...examinePairs(config)]);
  report.judge('Settings', 'AUDIT_EXPORT_KEY', () => examineExportKey(config));
  report.judge('Settings', 'secrets', () =>
    examineSecrets({ config, environment, fromFirstStart: isFromFirstStart(folder, processEnvironment) }),
  );
  await report.look('Settings', 'files', () => examineFiles(config, folder));
}

/** Stands in for a missing secret while the rest is looked at; nothing is sealed or signed with it. */
const STAND_INS = { JWT_SECRET: 'stands in for a secret that is missing', PUBLIC_BASE_URL: 'http://localhost' };

interface Settled {
  readonly config?: Config;
  readonly environment: Environment;
  readonly finding: Finding;
}

async function examineEnvironment(): Promise<Settled> {
  const CHECK = 'environment';
  let environment: Environment = {};
  try {
    environment = currentEnvironment();
    const config = settle(environment);
    const detail = `JWT_SECRET and PUBLIC_BASE_URL are set (${config.PUBLIC_BASE_URL})`;
    return { config, environment, finding: ok(CHECK, detail) };
  } catch (error) {
    if (error instanceof CommandFailure) {
      const isFolder = (error.cause as NodeJS.ErrnoException).code === 'EISDIR';
      return { environment, finding: failed(CHECK, error.message, isFolder ? 'Run: rmdir .env' : ASK_AS_OWNER) };
    }
    if (!(error instanceof ConfigError)) throw error;
    const config = settleWithStandIns(environment);
    const isFirst = !isProduction(environment) && !environmentFile() && (!config || (await isNew(config)));
    const hint = isFirst ? `; the first ${command('serve')} writes one` : '';
    const finding = failed(CHECK, error.faults.join('\n'), `Correct this in the environment or in .env${hint}.`);
    return { environment, finding, ...(config && { config }) };
  }
}

const ASK_AS_OWNER =
  'Run this as the user that the service runs as. If you are that user, run as root: chown <user> .env; chmod 600 .env';

function settle(environment: Environment): Config {
  const config = loadConfig(environment);
  return { ...config, DATA_DIR: resolve(workingFolder(), config.DATA_DIR) };
}

function settleWithStandIns(environment: Environment): Config | undefined {
  const filled = Object.entries(STAND_INS).map(([name, value]) => [name, environment[name] || value]);
  try {
    return settle({ ...environment, ...Object.fromEntries(filled) });
  } catch {
    return undefined;
  }
}
