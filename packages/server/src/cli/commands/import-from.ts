import { stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { createDeps } from '../../deps.ts';
import type { Deps } from '../../domain/context.ts';
import { isOpenId, type OAuthProviderDefinition } from '../../domain/provider-settings/definition.ts';
import { endpointsOf } from '../../domain/provider-settings/endpoints.ts';
import { github } from '../../domain/provider-settings/github.ts';
import { google } from '../../domain/provider-settings/google.ts';
import type { LinkedProvider } from '../../domain/user-import/foreign-user.ts';
import { FORMATS, type Format } from '../../domain/user-import/formats.ts';
import { importUsers } from '../../domain/user-import/import-users.ts';
import type { Target } from '../../domain/user-import/insert.ts';
import { findOrganizationBySlug } from '../../domain/user-import/queries.ts';
import { emptyReport, enter, type Report, skippedIn } from '../../domain/user-import/report.ts';
import { openSource } from '../../domain/user-import/source.ts';
import { UnreadableFile } from '../../domain/user-import/unreadable-file.ts';
import type { Config } from '../../platform/config/settings.ts';
import { readSlug } from '../support/arguments.ts';
import { startedByNpm } from '../support/environment.ts';
import { CommandFailure } from '../support/failure.ts';
import { openReport, printReport } from '../support/import-from-report.ts';
import { showProgress } from '../support/progress.ts';
import { stopSignal } from '../support/stop-signal.ts';
import { expectCurrentSchema, type Tool, withDatabase } from '../support/with-database.ts';

type Role = 'member' | 'admin';
const ROLES: readonly Role[] = ['member', 'admin'];

/** The options as parsed by commander. `from` is set if users of another service are imported. */
export interface ImportFromOptions {
  readonly from?: Format;
  readonly hashConfig?: string;
  readonly passwordHashes?: string;
  readonly organization?: string;
  readonly role?: Role;
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly unverified?: boolean;
}

export function addImportFromOptions(command: Command): Command {
  return command
    .addOption(new Option('--from <service>', 'import the users of another service').choices(FORMATS))
    .option('--dry-run', 'with --from: validate everything, write nothing')
    .option('--report <file>', 'with --from: write the result for each user, as NDJSON, to a new file')
    .option('--unverified', 'with --from: import every email as unverified')
    .option(
      '--organization <slug>',
      'with --from: add all users to this organization, not one organization each',
      readSlug,
    )
    .addOption(new Option('--role <role>', 'with --organization: their role there (default: member)').choices(ROLES))
    .option('--hash-config <file>', "with --from firebase: the project's password hash parameters")
    .option('--password-hashes <file>', 'with --from auth0: the file of hashes from Auth0 support')
    .addHelpText(
      'after',
      '\nWith --from the service can keep running. Existing users are not changed. See docs/migrating.md.',
    )
    .hook('preAction', (_, action) => rejectConflictingOptions(action, action.opts<ImportFromOptions>()));
}

function rejectConflictingOptions(command: Command, options: ImportFromOptions): void {
  const { from, hashConfig, passwordHashes, role, organization } = options;
  if (from === undefined) return;
  const conflict =
    (from === 'firebase' && hashConfig === undefined && '--from firebase needs --hash-config <file>') ||
    (from !== 'firebase' && hashConfig !== undefined && '--hash-config can only be used with --from firebase') ||
    (from !== 'auth0' && passwordHashes !== undefined && '--password-hashes can only be used with --from auth0') ||
    (role !== undefined && organization === undefined && '--role can only be used with --organization');
  if (conflict) command.error(`error: ${conflict}`);
}

export async function importFrom(path: string, options: ImportFromOptions): Promise<void> {
  const signal = stopSignal(startedByNpm);
  await inWords(path, () => stat(path));
  await withDatabase(async (tool) => {
    await expectCurrentSchema(tool.db);
    const { deps } = createDeps({ config: tool.config, log: tool.log, database: tool });
    const target = await findTarget(tool, options);
    const report = await importAll(deps, { path, options, target, signal });
    if (hasFailed(report)) throw new CommandFailure('No user was imported.');
  });
}

/** A repeated run that imports no user because all users already exist is a success. */
const hasFailed = (report: Report): boolean =>
  report.brought_along === 0 && (report.read === 0 || report.skipped.get('already_here') === undefined);

async function findTarget({ db }: Tool, { organization: slug, role = 'member' }: ImportFromOptions): Promise<Target> {
  if (slug === undefined) return undefined;
  const found = await findOrganizationBySlug(db, slug);
  if (!found) throw new CommandFailure(`There is no organization with the slug ${slug}.`);
  if (found.suspended_at !== null) throw new CommandFailure(`The organization ${slug} is suspended. Restore it first.`);
  return { organization_id: found.id, role };
}

interface ImportRequest {
  readonly path: string;
  readonly options: ImportFromOptions;
  readonly target: Target;
  readonly signal: AbortSignal;
}

async function importAll(deps: Deps, { path, options, target, signal }: ImportRequest): Promise<Report> {
  const dry_run = options.dryRun === true;
  const report = emptyReport();
  const source = await inWords(path, () => openSource(deps, sourceOf(path, options)));
  const written = await inWords(options.report ?? '', async () => openReport(options.report));
  // The total is twice the size, because `importUsers` reads every file twice.
  const progress = showProgress('Bytes', 2 * source.bytes);
  try {
    await importUsers(deps, {
      source: { ...source, entries: () => source.entries((count) => progress.add(count)) },
      target,
      linkable: linkableIn(deps.config),
      unverified: options.unverified === true,
      dry_run,
      signal,
      onLine: (line) => {
        enter(report, line);
        written.write(line);
      },
    });
  } catch (error) {
    progress.done();
    if (report.read > 0) printReport(report, { dry_run, organization: options.organization, role: options.role });
    if (signal.aborted) {
      const how = options.report === undefined ? '' : ' with another report file';
      throw new CommandFailure(`Stopped. To continue, run the same command again${how}.`);
    }
    throw failureOf(path, error);
  } finally {
    written.close();
  }
  progress.done();
  printReport(report, { dry_run, organization: options.organization, role: options.role });
  const unused = source.unused();
  if (unused > 0)
    console.log(`${pc.yellow('!')} ${unused.toLocaleString('en')} password hashes belong to no user in ${path}.`);
  if (source.odd_hashes > 0)
    console.log(
      `${pc.yellow('!')} ${source.odd_hashes.toLocaleString('en')} records of ${options.passwordHashes} have no password hash, or do not name its user.`,
    );
  if (skippedIn(report) + report.notes.size > 0 && options.report === undefined) {
    console.log('  Use --report <file> to get the result for each user.');
  }
  return report;
}

/**
 * The providers that are configured here with the same issuer and endpoints as the subjects in the file. With another
 * issuer or user-info endpoint (GitHub Enterprise), the same subject is a different person, who could sign in to the
 * account.
 */
function linkableIn(config: Config): ReadonlySet<LinkedProvider> {
  const isUnchanged = (definition: OAuthProviderDefinition): boolean => {
    const actual = endpointsOf(config, definition);
    const names = ['issuer', isOpenId(definition) ? 'jwks' : 'userinfo'] as const;
    const expected: Partial<typeof actual> = definition.endpoints;
    return names.every((name) => actual[name] === expected[name]);
  };
  return new Set([google, github].filter(isUnchanged).map(({ id }) => id));
}

const sourceOf = (path: string, { from, hashConfig, passwordHashes }: ImportFromOptions) => ({
  format: from!,
  path,
  hash_config: hashConfig,
  password_hashes: passwordHashes,
});

const inWords = <T>(path: string, work: () => Promise<T>): Promise<T> =>
  work().catch((error) => {
    throw failureOf(path, error);
  });

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  EEXIST: 'it already exists and is not overwritten',
};

function failureOf(path: string, error: unknown): unknown {
  const { code, path: failed = path } = error as NodeJS.ErrnoException;
  if (error instanceof UnreadableFile)
    return new CommandFailure(`${error.file ?? path} cannot be read: ${error.message}.`);
  const fault = code === undefined ? undefined : FAULTS[code];
  return fault === undefined ? error : new CommandFailure(`${failed} cannot be used: ${fault}.`, { cause: error });
}
