import { LIMITS } from '@gatehouse/contract';
import type { Command } from 'commander';
import pc from 'picocolors';
import { createDeps } from '../../deps.ts';
import { COMMAND_LINE } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { createOrganization } from '../../features/organizations/create.ts';
import { readEmail, readName, readSlug } from '../support/arguments.ts';
import { CommandFailure } from '../support/failure.ts';
import { askSecret, firstLine } from '../support/read-secret.ts';
import { expectCurrentSchema, type Tool, withDatabase } from '../support/with-database.ts';

interface Options {
  readonly name: string;
  readonly ownerEmail: string;
  readonly slug?: string;
  readonly ownerDisplayName?: string;
}

export function addCreateOrg(admin: Command): void {
  admin
    .command('create-org')
    .description(
      'create an organization and its first owner; prompts for the password, or reads the first line of standard input',
    )
    .requiredOption('--name <name>', 'name of the organization', readName)
    .requiredOption('--owner-email <email>', 'email of the owner; it must not have an account yet', readEmail)
    .option('--slug <slug>', 'slug of the organization (default: derived from the name)', readSlug)
    .option('--owner-display-name <name>', 'display name of the owner', readName)
    .action((options: Options) => withDatabase((tool) => createOrg(tool, options)));
}

/** Does the same as POST /admin/orgs. A running server sends the mail. */
async function createOrg(tool: Tool, options: Options): Promise<void> {
  await expectCurrentSchema(tool.db);
  const owner_password = await newPassword(options.ownerEmail);
  const { deps } = createDeps({ config: tool.config, log: tool.log, database: tool });
  const created = await createOrganization(deps, COMMAND_LINE, {
    organization_name: options.name,
    owner_email: options.ownerEmail,
    owner_password,
    ...(options.slug !== undefined && { organization_slug: options.slug }),
    ...(options.ownerDisplayName !== undefined && { owner_display_name: options.ownerDisplayName }),
  }).catch((error) => {
    if (!(error instanceof ServiceError) || error.code !== 'conflict') throw error;
    throw new CommandFailure(`Nothing was created: ${error.message}.`, { cause: error });
  });
  console.log(`${pc.green('✓')} Created ${options.name} with the owner ${options.ownerEmail}.`);
  for (const [field, value] of Object.entries(created)) console.log(`  ${field}: ${value}`);
}

const { min, max } = LIMITS.password;

/** Reads the password from the terminal (twice) or stdin. Never an argument, which other local users could read. */
async function newPassword(email: string): Promise<string> {
  const password = process.stdin.isTTY
    ? await askSecret(`Password for ${email} (at least ${min} characters): `)
    : await firstLine(process.stdin, 'The password on standard input');
  const length = [...password].length;
  if (length < min || length > max) throw new CommandFailure(`The password must be ${min} to ${max} characters long.`);
  if (process.stdin.isTTY && (await askSecret('Repeat the password: ')) !== password) {
    throw new CommandFailure('The passwords do not match.');
  }
  return password;
}
