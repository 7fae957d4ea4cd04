import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { createApp } from '../app.ts';
import type { Deps } from '../domain/context.ts';
import { bringAlong } from '../domain/foreign-users/bring-along.ts';
import { FORMATS, type Format } from '../domain/foreign-users/formats.ts';
import type { Target } from '../domain/foreign-users/insert.ts';
import { findOrganizationBySlug } from '../domain/foreign-users/queries.ts';
import { emptyReport, enter, type Report, skippedIn } from '../domain/foreign-users/report.ts';
import { openSource } from '../domain/foreign-users/source.ts';
import { UnreadableFile } from '../domain/foreign-users/unreadable-file.ts';
import { endpointsOf } from '../features/oauth/endpoints.ts';
import { migrationStatus } from '../platform/db/migrate.ts';
import { readSlug } from './arguments.ts';
import { startedByNpm } from './environment.ts';
import { CommandFailure } from './failure.ts';
import { openReport, printReport } from './import-from-report.ts';
import { showProgress } from './progress.ts';
import { stopSignal } from './stop-signal.ts';
import { type Tool, withDatabase } from './with-database.ts';

type Role = 'member' | 'admin';
const ROLES: readonly Role[] = ['member', 'admin'];

/** As commander hands them over. `from` is there when the command is this one. */
export interface ImportFromOptions {
  readonly from?: Format;
  readonly hashConfig?: string;
  readonly passwordHashes?: string;
  readonly organization?: string;
  readonly role?: Role;
  readonly dryRun?: boolean;
  readonly report?: string;
}

/** What `import --from` takes beside the file. */
export function addImportFromOptions(command: Command): Command {
  return command
    .addOption(new Option('--from <service>', 'bring along the users of another service').choices(FORMATS))
    .option('--dry-run', 'with --from: read and judge everything, write nothing')
    .option('--report <file>', 'with --from: write what became of each user, as NDJSON')
    .option('--organization <slug>', 'with --from: the organization all of them join, in place of one each', readSlug)
    .addOption(new Option('--role <role>', 'with --organization: what they become there (member)').choices(ROLES))
    .option('--hash-config <file>', "with --from firebase: the project's password hash parameters")
    .option('--password-hashes <file>', "with --from auth0: the hashes that Auth0's support has sent")
    .addHelpText(
      'after',
      '\nWith --from the service may go on running, and nobody who is here is touched. docs/migrating.md tells all.',
    )
    .hook('preAction', (_, action) => refuseMisfits(action, action.opts<ImportFromOptions>()));
}

function refuseMisfits(command: Command, options: ImportFromOptions): void {
  const { from, hashConfig, passwordHashes, role, organization } = options;
  if (from === undefined) return;
  const misfit =
    (from === 'firebase' && hashConfig === undefined && '--from firebase needs --hash-config <file>') ||
    (from !== 'firebase' && hashConfig !== undefined && '--hash-config is used together with --from firebase alone') ||
    (from !== 'auth0' &&
      passwordHashes !== undefined &&
      '--password-hashes is used together with --from auth0 alone') ||
    (role !== undefined && organization === undefined && '--role is used together with --organization alone');
  if (misfit) command.error(`error: ${misfit}`);
}

/** `import --from <service> <file>`. */
export async function importFrom(path: string, options: ImportFromOptions): Promise<void> {
  const signal = stopSignal(startedByNpm);
  await inWords(path, () => stat(path));
  await withDatabase(async (tool) => {
    const { pending } = await migrationStatus(tool.db);
    if (pending.length > 0) throw new CommandFailure('The schema is not up to date. Run: npx gatehouse migrate');
    const { deps } = createApp({ config: tool.config, log: tool.log, database: tool });
    const target = await findTarget(tool, options);
    const report = await bring(deps, { path, options, target, signal });
    if (isFutile(report)) throw new CommandFailure('Nobody was brought along.');
  });
}

/** Everybody who is here already is a success: that is how a second run ends. */
const isFutile = (report: Report): boolean =>
  report.brought_along === 0 && (report.read === 0 || report.skipped.get('already_here') === undefined);

async function findTarget({ db }: Tool, { organization: slug, role = 'member' }: ImportFromOptions): Promise<Target> {
  if (slug === undefined) return undefined;
  const found = await findOrganizationBySlug(db, slug);
  if (!found) throw new CommandFailure(`There is no organization with the slug ${slug}.`);
  if (found.suspended_at !== null) throw new CommandFailure(`The organization ${slug} is suspended. Restore it first.`);
  return { organization_id: found.id, role };
}

interface Asked {
  readonly path: string;
  readonly options: ImportFromOptions;
  readonly target: Target;
  readonly signal: AbortSignal;
}

async function bring(deps: Deps, { path, options, target, signal }: Asked): Promise<Report> {
  const dry_run = options.dryRun === true;
  const report = emptyReport();
  const source = await inWords(path, () => openSource(deps, sourceOf(path, options, dry_run)));
  refuseOverwriting(path, options);
  const written = await inWords(options.report ?? '', async () => openReport(options.report));
  const progress = showProgress('Bytes', source.bytes);
  const issuerOf = (provider: 'oauth_a' | 'oauth_b') => endpointsOf(deps.config, provider).issuer;
  try {
    await bringAlong(deps, {
      entries: source.entries((count) => progress.add(count)),
      describe: source.describe,
      target,
      issuers: { oauth_a: issuerOf('oauth_a'), oauth_b: issuerOf('oauth_b') },
      dry_run,
      signal,
      onLine: (line) => {
        enter(report, line);
        written.write(line);
      },
    });
  } catch (error) {
    progress.done();
    printReport(report, { dry_run, organization: options.organization, role: options.role });
    if (signal.aborted) throw new CommandFailure('Stopped. Run the same command again, and it goes on where it was.');
    throw failureOf(path, error);
  } finally {
    written.close();
  }
  progress.done();
  printReport(report, { dry_run, organization: options.organization, role: options.role });
  const unused = source.unused();
  if (unused > 0)
    console.log(`${pc.yellow('!')} ${unused.toLocaleString('en')} password hashes are of nobody in ${path}.`);
  if (skippedIn(report) + report.notes.size > 0 && options.report === undefined) {
    console.log('  --report <file> writes what became of each of them.');
  }
  return report;
}

/** A slip of the fingers must not cost the only copy. */
function refuseOverwriting(path: string, { report, hashConfig, passwordHashes }: ImportFromOptions): void {
  const read = [path, hashConfig, passwordHashes].map((file) => file && resolve(file));
  if (report !== undefined && read.includes(resolve(report))) {
    throw new CommandFailure(`${report} is read from: give the report another name.`);
  }
}

const sourceOf = (path: string, { from, hashConfig, passwordHashes }: ImportFromOptions, dry_run: boolean) => ({
  format: from!,
  path,
  hash_config: hashConfig,
  password_hashes: passwordHashes,
  dry_run,
});

const inWords = <T>(path: string, work: () => Promise<T>): Promise<T> =>
  work().catch((error) => {
    throw failureOf(path, error);
  });

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EACCES: 'this user may not use it',
  EISDIR: 'it is a folder',
};

function failureOf(path: string, error: unknown): unknown {
  const { code, path: failed = path } = error as NodeJS.ErrnoException;
  if (error instanceof UnreadableFile)
    return new CommandFailure(`${error.file ?? path} cannot be read: ${error.message}.`);
  const fault = code === undefined ? undefined : FAULTS[code];
  return fault === undefined ? error : new CommandFailure(`${failed} cannot be used: ${fault}.`, { cause: error });
}
