import { Command, CommanderError, type OutputConfiguration } from 'commander';
import pc from 'picocolors';
import { VERSION } from '../version.ts';
import { CommandFailure } from './support/failure.ts';
import { describeUnexpected } from './support/unexpected.ts';

type Add = (program: Command) => void;

/** Commands are loaded on demand, because most need little of the service. */
const COMMANDS: Readonly<Record<string, () => Promise<Add>>> = {
  serve: async () => (await import('./commands/serve.ts')).addServe,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  migrate: async () => (await import('./commands/migrate.ts')).addMigrate,
  admin: async () => (await import('./commands/admin.ts')).addAdmin,
  audit: async () => (await import('./commands/audit.ts')).addAudit,
  'api-keys': async () => (await import('./commands/api-keys.ts')).addApiKeys,
  policy: async () => (await import('./commands/policy.ts')).addPolicy,
  keys: async () => (await import('./commands/keys.ts')).addKeys,
  'config-key': async () => (await import('./commands/config-key.ts')).addConfigKey,
  export: async () => (await import('./commands/export.ts')).addExport,
  import: async () => (await import('./commands/import.ts')).addImport,
};

/** The command named by the arguments; all commands for help and for unknown names. */
const commandsFor = ([name = '']: readonly string[]): Promise<Add[]> =>
  Promise.all(Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]!()] : Object.values(COMMANDS).map((load) => load()));

/**
 * Runs the command. Exit codes: 0 done, 1 a check or the work failed, 2 invalid arguments. Returns undefined if the
 * command has finished without an error; it may have set an exit code itself.
 */
export async function runProgram(
  args: readonly string[],
  output: OutputConfiguration = {},
): Promise<number | undefined> {
  const program = new Command('gatehouse')
    .description('Self-hosted, multi-tenant identity and access service')
    .version(VERSION, '-V, --version', 'print the version')
    .showHelpAfterError('(add --help for usage)')
    .configureOutput(output)
    .exitOverride();
  try {
    for (const add of await commandsFor(args)) add(program);
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
