import { forecast, listLongLockHolders, tableSizes } from '@gatehouse/migrate';
import type { Command } from 'commander';
import pc from 'picocolors';
import { ensureAuditMonths } from '../../domain/audit/queries.ts';
import { systemClock } from '../../platform/clock.ts';
import { isPooled } from '../../platform/db/connect.ts';
import { type MigrationStatus, migrate, migrationStatus, queriesOf } from '../../platform/db/migrate.ts';
import { HISTORY } from '../../platform/db/migrations/history.ts';
import { cliCommand } from '../support/cli-command.ts';
import { CommandFailure } from '../support/failure.ts';
import { describeForecasts } from '../support/migrate-check.ts';
import { type Tool, withDatabase } from '../support/with-database.ts';

interface Options {
  readonly status?: boolean;
  readonly check?: boolean;
}

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--status', 'list applied and pending migrations; change nothing')
    .option('--check', 'show what would run, with its locks and their duration; exit code 1 if a migration is pending')
    .addHelpText('after', '\nHow to upgrade, also without downtime: docs/upgrading.md')
    .action((options: Options) => withDatabase((tool) => run(tool, options), { create: true }));
}

async function run({ db, address }: Tool, { status: showStatus, check }: Options): Promise<void> {
  if (!showStatus && !check) return apply({ db, address });
  const status = await migrationStatus(db);
  if (showStatus) printStatus(status);
  else printNewer(status);
  if (!check) return;
  const { applied, pending } = status;
  const queries = queriesOf(db);
  const forecasts = forecast(pending, HISTORY, { sizes: await tableSizes(queries), pooled: isPooled(address) });
  const tables = forecasts.flatMap(({ locks }) => locks.map(({ table }) => table));
  for (const line of describeForecasts(forecasts, await listLongLockHolders(queries, tables), applied.length === 0))
    console.log(line);
  if (pending.length > 0) throw new CommandFailure(`${pending.length} pending. Run: ${cliCommand('migrate')}`);
}

async function apply({ db, address }: Pick<Tool, 'db' | 'address'>): Promise<void> {
  const applied = await migrate(address, systemClock.now(), ({ version, name }) =>
    console.log(`applying ${version} ${name} …`),
  );
  // Creates audit partitions, because commands may write audit rows before the first start of the service.
  await ensureAuditMonths(db, systemClock.now());
  if (applied.length === 0) {
    console.log('The schema is up to date.');
    return;
  }
  const times = applied.map(({ version, milliseconds }) => `${version}: ${(milliseconds / 1000).toFixed(2)} s`);
  console.log(`${pc.green('✓')} Applied ${applied.length} (${times.join(', ')}).`);
}

function printStatus(status: MigrationStatus): void {
  for (const { version, name, applied_at } of status.applied) {
    console.log(`${pc.green('applied')}  ${version} ${name}  ${applied_at.toISOString()}`);
  }
  for (const { version, name } of status.pending) console.log(`${pc.yellow('pending')}  ${version} ${name}`);
  printNewer(status);
}

function printNewer({ unknown }: MigrationStatus): void {
  if (unknown.length === 0) return;
  console.log(`${pc.yellow('newer')}    ${unknown.join(', ')}: applied by a later version of Gatehouse`);
}
