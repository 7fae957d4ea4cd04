import { findLastExport } from '../../domain/export/queries.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type Db, isPooled } from '../../platform/db/connect.ts';
import { findArchiving, findDatabaseSize, findServerTime, isServed } from '../../platform/db/server-state.ts';
import type { OpenedDatabase } from '../support/database.ts';
import { findUnfinished, RUNNING } from '../support/unfinished-import.ts';
import type { Outcome } from './attempt.ts';
import { examineBackups } from './backups.ts';
import { examineClock } from './clock.ts';
import { examineConnections } from './connections.ts';
import { examineDisk, measureRoom } from './disk.ts';
import { examineEmails } from './emails.ts';
import { command, type Finding, failed } from './finding.ts';
import { examineHashKeys } from './hash-keys.ts';
import { examineKeys, examinePrevious } from './key-ages.ts';
import { examineMailQueue } from './mail-queue.ts';
import { examineOwner } from './owner.ts';
import { examinePasskeys } from './passkeys.ts';
import { examinePooler } from './pooler.ts';
import type { Named } from './report.ts';
import { examineSecondFactors } from './second-factors.ts';
import { examineCounts, examineSweeper, examineTransactions } from './sweeping.ts';

export interface Scene {
  readonly config: Config;
  readonly database: OpenedDatabase;
  readonly clock: Clock;
}

export interface DatabaseCheck extends Named {
  /** Set if the check applies to few installations: it is not listed as skipped if the database cannot be queried. */
  readonly rare?: true;
  examine(scene: Scene): Outcome | Promise<Outcome>;
}

/** Checks that work on any PostgreSQL. */
export const SERVER_CHECKS: readonly DatabaseCheck[] = [
  {
    group: 'Database',
    check: 'pooler',
    rare: true,
    examine: ({ config, database }) => examinePooler(config, database.db),
  },
  { group: 'Database', check: 'clock', examine: ({ database, clock }) => examineClock(database.db, clock) },
  {
    group: 'Database',
    check: 'connections',
    examine: ({ config, database }) => examineConnections(config, database.db),
  },
  { group: 'Database', check: 'transactions', examine: ({ database }) => examineTransactions(database.db) },
  { group: 'Database', check: 'disk', examine: lookAtDisk },
];

/** Checks that need the current schema. */
export const SCHEMA_CHECKS: readonly DatabaseCheck[] = [
  { group: 'Database', check: 'import', rare: true, examine: ({ database }) => examineImport(database.db) },
  { group: 'Database', check: 'backups', examine: lookForBackups },
  {
    group: 'Keys',
    check: 'signing keys',
    examine: ({ config, database, clock }) => examineKeys(config, database.db, clock),
  },
  {
    group: 'Keys',
    check: 'JWT_SECRET_PREVIOUS',
    rare: true,
    examine: ({ config, database }) => examinePrevious(config, database.db),
  },
  {
    group: 'Keys',
    check: 'second factors',
    examine: ({ config, database }) => examineSecondFactors(config, database.db),
  },
  {
    group: 'Keys',
    check: 'imported hashes',
    rare: true,
    examine: ({ config, database }) => examineHashKeys(config, database.db),
  },
  {
    group: 'Sign-in',
    check: 'passkeys',
    examine: ({ config, database }) => examinePasskeys(config, database.db),
  },
  {
    group: 'Service',
    check: 'sweeper',
    examine: async ({ database }) =>
      examineSweeper(database.db, await isServed(database.db, isPooled(database.address))),
  },
  { group: 'Service', check: 'audit counts', examine: ({ database }) => examineCounts(database.db) },
  {
    group: 'Mail',
    check: 'mail queue',
    examine: async ({ database, clock }) =>
      examineMailQueue(database.db, clock, await isServed(database.db, isPooled(database.address))),
  },
  { group: 'Sign-in', check: 'platform owner', examine: ({ config, database }) => examineOwner(config, database.db) },
  { group: 'Sign-in', check: 'email addresses', examine: ({ database }) => examineEmails(database.db) },
];

async function lookAtDisk({ config, database }: Scene): Promise<Outcome> {
  const size = await findDatabaseSize(database.db);
  if (!database.embedded) return examineDisk(size);
  const { locateCluster } = await import('@gatehouse/embedded-postgres');
  const { home } = await locateCluster(config.DATA_DIR);
  return examineDisk(size, { folder: home, room: await measureRoom(home) });
}

async function lookForBackups({ config, database: { db, embedded } }: Scene): Promise<Outcome> {
  const archiving = embedded ? undefined : await findArchiving(db);
  return examineBackups(config, { now: await findServerTime(db), exportedAt: await findLastExport(db), archiving });
}

async function examineImport(db: Db): Promise<Finding[]> {
  const found = await findUnfinished(db);
  if (found === undefined) return [];
  if (found === RUNNING)
    return [failed('import', 'one is running', 'Wait until it has finished, then start the service.')];
  const fix = `Run the same ${command('import <dir>')} again: it continues where it stopped. If the export is lost, use an empty database.`;
  return [failed('import', 'one was interrupted: the database is incomplete', fix)];
}
