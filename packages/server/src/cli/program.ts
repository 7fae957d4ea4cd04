import { Command, CommanderError, type OutputConfiguration } from 'commander';
import pc from 'picocolors';
import { VERSION } from '../version.ts';
import { addAdmin } from './commands/admin.ts';
import { addAudit } from './commands/audit.ts';
import { addConfigKey } from './commands/config-key.ts';
import { addDoctor } from './commands/doctor.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addKeys } from './commands/keys.ts';
import { addMigrate } from './commands/migrate.ts';
import { addServe } from './commands/serve.ts';
import { CommandFailure } from './support/failure.ts';
import { describeUnexpected } from './support/unexpected.ts';

const COMMANDS = [addServe, addDoctor, addMigrate, addAdmin, addAudit, addKeys, addConfigKey, addExport, addImport];

/**
 * Arguments → one file in this folder. Exit codes: 0 done, 1 a check or the work failed, 2 the command line was wrong.
 * Undefined: it was done, and the command itself may have said how it went.
 */
export async function runProgram(
  args: readonly string[],
  output: OutputConfiguration = {},
): Promise<number | undefined> {
  const program = new Command('gatehouse')
    .description('Self-hosted, multi-tenant identity and access service')
    .version(VERSION, '-V, --version', 'print the version')
    .showHelpAfterError('(add --help for what is possible)')
    .configureOutput(output)
    .exitOverride();
  for (const add of COMMANDS) add(program);
  try {
    await program.parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    return report(error);
  }
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
