import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { addAdmin } from './cli/admin.ts';
import { addAudit } from './cli/audit.ts';
import { addConfigKey } from './cli/config-key.ts';
import { addDoctor } from './cli/doctor.ts';
import { addExport } from './cli/export.ts';
import { CommandFailure } from './cli/failure.ts';
import { addImport } from './cli/import.ts';
import { addKeys } from './cli/keys.ts';
import { addMigrate } from './cli/migrate.ts';
import { addServe } from './cli/serve.ts';
import { describeUnexpected } from './cli/unexpected.ts';
import { VERSION } from './version.ts';

/** argv → one file in cli/. Exit codes: 0 done, 1 a check or the work failed, 2 the command line was wrong. */
const program = new Command('gatehouse')
  .description('Self-hosted, multi-tenant identity and access service')
  .version(VERSION, '-V, --version', 'print the version')
  .showHelpAfterError('(add --help for what is possible)')
  .exitOverride();

for (const add of [addServe, addDoctor, addMigrate, addAdmin, addAudit, addKeys, addConfigKey, addExport, addImport])
  add(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandFailure) {
    if (error.message) console.error(`${pc.red('✗')} ${error.message}`);
    return 1;
  }
  console.error(`${pc.red('✗')} ${describeUnexpected(error)}`);
  return 1;
}
