import type { Command } from 'commander';
import pc from 'picocolors';
import { createDeps } from '../../deps.ts';
import type { Deps } from '../../domain/context.ts';
import { COMMAND_LINE } from '../../domain/kernel/caller.ts';
import { findOrganizationNamed } from '../../domain/organizations/queries.ts';
import { resetPolicy } from '../../features/policy/reset.ts';
import { CommandFailure } from '../support/failure.ts';
import { expectCurrentSchema, withDatabase } from '../support/with-database.ts';

export function addPolicy(program: Command): void {
  const policy = program.command('policy').description('the sign-in rules of organizations');
  policy
    .command('reset')
    .description('remove all sign-in rules of an organization, for example if they keep its owners out')
    .argument('<organization>', 'id or slug of the organization')
    .action((organization: string) =>
      withDatabase(async (tool) => {
        await expectCurrentSchema(tool.db);
        const { deps } = createDeps({ config: tool.config, log: tool.log, database: tool });
        console.log(await resetPolicyOf(deps, organization));
      }),
    );
}

/** Does the same as DELETE /admin/orgs/:id/policy. A running server sends the mails. Returns what was done. */
export async function resetPolicyOf(deps: Deps, typed: string): Promise<string> {
  const organization = await findOrganizationNamed(deps.db, typed.trim().toLowerCase());
  if (!organization) throw new CommandFailure(`There is no organization with the id or slug ${typed}.`);
  const { id, name } = organization;
  const done = (await resetPolicy(deps, COMMAND_LINE, id))
    ? `The sign-in rules of ${name} (${id}) were reset.`
    : `${name} (${id}) has no sign-in rules. Nothing was changed.`;
  return `${pc.green('✓')} ${done}`;
}
