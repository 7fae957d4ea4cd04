import { setTimeout as sleep } from 'node:timers/promises';
import { listProviderRows, type ProviderRow } from '../../domain/provider-settings/queries.ts';
import { listSigningKeys } from '../../domain/signing-keys/queries.ts';
import { countSecretsByKey, type SealedSecrets } from '../../domain/sso/queries.ts';
import { after, systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { connectTimeoutOf } from '../../platform/db/connect.ts';
import { migrationStatus } from '../../platform/db/migrate.ts';
import { findEncryption, serverVersion } from '../../platform/db/server-state.ts';
import { createLogger } from '../../platform/log.ts';
import { startCommand } from '../support/cli-command.ts';
import { explainDatabase, isNew, type OpenedDatabase, openDatabase } from '../support/database.ts';
import { type DatabaseCheck, SCHEMA_CHECKS, type Scene, SERVER_CHECKS } from './database-checks.ts';
import { command, type Finding, failed, ok } from './finding.ts';
import { EVENTS } from './proxies.ts';
import { findOrigins, type Origins } from './queries.ts';
import type { Named, Report } from './report.ts';

const MIN_VERSION = 15;
/** Recovery after a crash may take longer than this; the finding then says so. */
const START_TIMEOUT_MS = 10_000;
/** Added to the connect timeout for the first query. */
const ANSWER_MS = 1_000;
const QUERY_TIMEOUT_MS = 3_000;
/** A connection that hangs is abandoned after this time. */
const CLOSE_TIMEOUT_MS = 1_000;
const WEEK_SECONDS = 7 * 86_400;

/** Data from the database for other checks; undefined if it could not be queried. */
interface Facts {
  readonly providers?: readonly ProviderRow[] | undefined;
  readonly ssoSecrets?: readonly SealedSecrets[] | undefined;
  readonly kids?: readonly string[] | undefined;
  readonly encryption?: string | null | undefined;
  readonly origins?: Origins | undefined;
}

const MIGRATIONS: Named = { group: 'Database', check: 'migrations' };
const usual = (checks: readonly DatabaseCheck[]): Named[] => checks.filter(({ rare }) => !rare);

export const NEEDS_DATABASE: readonly Named[] = [MIGRATIONS, ...usual(SERVER_CHECKS), ...usual(SCHEMA_CHECKS)];

export async function examineDatabase(report: Report, config: Config, hasSecret: boolean): Promise<Facts> {
  const unreachable = ({ detail, fix }: { detail: string; fix: string }): Facts => {
    report.add('Database', failed('database', detail, fix));
    report.skip(NEEDS_DATABASE, 'no database');
    return {};
  };
  // The doctor changes nothing, so it must not create a database.
  if (await isNew(config)) {
    return unreachable({
      detail: `there is none in ${config.DATA_DIR} yet`,
      fix: `Start the service once, ${startCommand()}, or set DATABASE_URL.`,
    });
  }
  const timeout = AbortSignal.timeout(START_TIMEOUT_MS);
  let database: OpenedDatabase;
  try {
    database = await openDatabase({ config, log: createLogger({ level: 'silent' }), role: 'tool', signal: timeout });
  } catch (error) {
    return unreachable(timeout.aborted ? lateStart(config) : explainDatabase(config, error));
  }
  try {
    const version = await report.ask(() => serverVersion(database.db), connectTimeoutOf(database.address) + ANSWER_MS);
    report.add('Database', describe(config, database, version));
  } catch (error) {
    await leave(database);
    return unreachable(explainDatabase(config, error));
  }
  try {
    return await examineContents(report, { config, database, clock: systemClock }, hasSecret);
  } finally {
    await leave(database);
  }
}

const MISSING = failed(
  'JWT_SECRET',
  'is not set, but this database was used with one',
  'Set it to the secret that the database was used with. With another one, all users must sign in again and no authenticator app works.',
);

const lateStart = ({ DATA_DIR }: Config) => ({
  detail: `the embedded PostgreSQL in ${DATA_DIR} was not ready within ${START_TIMEOUT_MS / 1000} seconds: it may be recovering from a crash`,
  fix: `Start the service, ${startCommand()}, or restart it if it runs. Wait until it is ready, then run this again.`,
});

function describe({ DATA_DIR }: Config, { embedded }: OpenedDatabase, version: number): Finding {
  const where = embedded ? `embedded PostgreSQL ${version} in ${DATA_DIR}` : `PostgreSQL ${version}`;
  if (version >= MIN_VERSION) return ok('database', where);
  return failed('database', `${where} is too old`, `Use PostgreSQL ${MIN_VERSION} or later.`);
}

async function examineContents(report: Report, scene: Scene, hasSecret: boolean): Promise<Facts> {
  const { config, database } = scene;
  const { db } = database;
  let isReady = false;
  const examineMigrations = async (): Promise<Finding> => {
    const status = await report
      .ask(() => migrationStatus(db), QUERY_TIMEOUT_MS)
      .catch((error) => explainDatabase(config, error));
    if ('fix' in status) return failed('migrations', status.detail, status.fix);
    const { applied, pending, unknown } = status;
    isReady = pending.length === 0;
    const fix = `Run ${command('migrate')}. \`serve\` applies them too.`;
    if (!isReady) return failed('migrations', `${pending.length} pending`, fix);
    const newer = unknown.length > 0 ? `; ${unknown.length} by a later version, which can run at the same time` : '';
    return ok('migrations', `${applied.length} applied, none pending${newer}`);
  };
  report.add('Database', await examineMigrations());
  await runChecks(report, scene, SERVER_CHECKS);
  const encryption = await report.learn(() => findEncryption(db));
  if (!isReady) {
    report.skip(usual(SCHEMA_CHECKS), 'apply the migrations first');
    return { encryption };
  }
  const facts: Facts = {
    encryption,
    providers: await report.learn(() => listProviderRows(db)),
    ssoSecrets: await report.learn(() => countSecretsByKey(db)),
    kids: (await report.learn(() => listSigningKeys(db)))?.map(({ kid }) => kid),
    origins: await report.learn(() => findOrigins(db, after(scene.clock.now(), -WEEK_SECONDS), EVENTS)),
  };
  const needSecret = hasSecret ? [] : SCHEMA_CHECKS.filter(({ group }) => group === 'Keys');
  report.skip(usual(needSecret), 'JWT_SECRET is missing');
  if (!hasSecret && facts.kids?.length) report.add('Keys', MISSING);
  await runChecks(
    report,
    scene,
    SCHEMA_CHECKS.filter((check) => !needSecret.includes(check)),
  );
  return facts;
}

async function runChecks(report: Report, scene: Scene, checks: readonly DatabaseCheck[]): Promise<void> {
  for (const { group, check, examine } of checks) await report.check(group, check, () => examine(scene));
}

/** Closes the database. Always waits for an embedded PostgreSQL, because closing it may stop the server. */
async function leave({ close, embedded }: OpenedDatabase): Promise<void> {
  const closed = close().catch(() => {});
  await (embedded ? closed : Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]));
}
