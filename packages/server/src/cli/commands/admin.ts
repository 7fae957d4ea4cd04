import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { createDeps } from '../../deps.ts';
import { changePlatformRole, lockPlatformOwners } from '../../domain/authorization/platform-role.ts';
import { COMMAND_LINE } from '../../domain/kernel/caller.ts';
import type { PlatformRole } from '../../domain/kernel/permissions.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { findUserByEmail } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { readEmail } from '../support/arguments.ts';
import { CommandFailure } from '../support/failure.ts';
import { expectCurrentSchema, type Tool, withDatabase } from '../support/with-database.ts';
import { addCreateOrg } from './create-org.ts';

const ROLES: readonly PlatformRole[] = ['viewer', 'admin', 'owner'];

export function addAdmin(program: Command): void {
  const admin = program.command('admin').description('manage platform roles and create organizations');
  admin
    .command('grant')
    .description('grant an account a platform role; it replaces the current one')
    .argument('<email>', 'email of an existing account', readEmail)
    .addOption(new Option('--role <role>', 'the role to grant').choices(ROLES).default('owner'))
    .action((email: string, { role }: { role: PlatformRole }) => withDatabase((tool) => grant(tool, email, role)));
  admin
    .command('revoke')
    .description('revoke the platform role of an account; the last owner cannot be revoked')
    .argument('<email>', 'email of the account', readEmail)
    .action((email: string) => withDatabase((tool) => revoke(tool, email)));
  addCreateOrg(admin);
}

async function grant(tool: Tool, email: string, role: PlatformRole): Promise<void> {
  const { changed, from, email_verified_at } = await changeRole(tool, email, role);
  if (!changed) return say(`${email} is already platform ${role}. Nothing was changed.`);
  say(`${email} is now platform ${role}${from === null ? '' : ` (before: ${from})`}.`);
  if (email_verified_at === null && tool.config.NODE_ENV === 'production') {
    console.error(`${pc.yellow('!')} This email is not verified. Make sure that its owner created the account.`);
  }
}

async function revoke(tool: Tool, email: string): Promise<void> {
  const { changed, from } = await changeRole(tool, email, null);
  if (changed) say(`${email} is no longer platform ${from}.`);
  else say(`${email} has no platform role. Nothing was changed.`);
}

const say = (text: string): void => console.log(`${pc.green('✓')} ${text}`);

/** Grants the platform role, or revokes it (null). Running servers are notified through the bus within a second. */
async function changeRole(tool: Tool, email: string, role: PlatformRole | null) {
  await expectCurrentSchema(tool.db);
  const { deps } = createDeps({ config: tool.config, log: tool.log, database: tool });
  return transact(tool.db, async (tx) => {
    // Disabling an account takes the same lock, so the status read here stays valid.
    await lockPlatformOwners(tx);
    const user = await findUserByEmail(tx, email);
    if (!user)
      throw new CommandFailure(`There is no account with the email ${email}. Register it first, then run this again.`);
    // Revoking the role of a disabled account is allowed, so that enabling the account does not restore the role.
    if (role !== null && user.status !== 'active') {
      throw new CommandFailure(`The account ${email} is disabled. Enable it first.`);
    }
    const changed = await changePlatformRole(tx, deps, COMMAND_LINE, { user_id: user.id, role });
    return { changed, from: user.platform_role, email_verified_at: user.email_verified_at };
  }).catch((error) => {
    if (!(error instanceof ServiceError) || error.code === 'internal_error') throw error;
    throw new CommandFailure(`${email}: ${error.message}.`, { cause: error });
  });
}
