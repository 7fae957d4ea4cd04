import type { Command } from 'commander';
import pc from 'picocolors';
import { systemClock } from '../platform/clock.ts';
import { type MigrationStatus, migrate, migrationStatus } from '../platform/db/migrate.ts';
import { CommandFailure } from './failure.ts';
import { withDatabase } from './with-database.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--status', 'show what is applied and what is pending; change nothing')
    .option('--check', 'exit with 1 when something is pending; change nothing')
    .action((options: { status?: boolean; check?: boolean }) =>
      withDatabase(
        async ({ db, address }) => {
          if (options.status || options.check) return report(await migrationStatus(db), options.check === true);
          const applied = await migrate(address, systemClock.now(), ({ version, name }) =>
            console.log(`applying ${version} ${name} …`),
          );
          console.log(
            applied.length === 0 ? 'The schema is up to date.' : `${pc.green('✓')} Applied ${applied.length}.`,
          );
        },
        { create: true },
      ),
    );
}

function report(status: MigrationStatus, check: boolean): void {
  for (const { version, name, applied_at } of status.applied) {
    console.log(`${pc.green('applied')}  ${version} ${name}  ${applied_at.toISOString()}`);
  }
  for (const { version, name } of status.pending) console.log(`${pc.yellow('pending')}  ${version} ${name}`);
  if (status.unknown.length > 0) {
    console.log(`${pc.yellow('newer')}    ${status.unknown.join(', ')}: applied by a later version of Gatehouse`);
  }
  if (check && status.pending.length > 0) {
    throw new CommandFailure(`${status.pending.length} pending. Run: npx gatehouse migrate`);
  }
}
