import type { Command } from 'commander';
import pc from 'picocolors';
import { isRightSecret } from '../../domain/machines/authenticate.ts';
import { parseKey, prefixOf } from '../../domain/machines/key-format.ts';
import { findKeyState } from '../../domain/machines/queries.ts';
import { findOrganization } from '../../domain/organizations/queries.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/connect.ts';
import { askSecret, firstLine, hasTerminal } from '../support/read-secret.ts';
import { expectCurrentSchema, withDatabase } from '../support/with-database.ts';

const EXIT_CODES = `
Exit codes: 0 a key of this service that has not ended; 3 a key of this service that has ended; 4 not a key of this
service; 1 the check failed; 2 invalid arguments. The secret part of the key is never printed.`;

export function addApiKeys(program: Command): void {
  const keys = program.command('api-keys').description('examine the API keys of service accounts');
  keys
    .command('check')
    .description(
      'report whether a string is an API key of this service, whether it has ended, and to which service account it belongs; prompts for the string, or reads the first line of standard input',
    )
    .argument('[key]', 'the string; pass it on standard input to keep it out of the history of your shell')
    .addHelpText('after', EXIT_CODES)
    .action(check);
}

async function check(given: string | undefined): Promise<void> {
  const text = given ?? (await readKey());
  await withDatabase(async ({ db }) => {
    await expectCurrentSchema(db);
    const { code, lines } = await examineKey({ db, clock: systemClock }, text.trim());
    for (const line of lines) console.log(line);
    process.exitCode = code;
  });
}

const readKey = (): Promise<string> =>
  hasTerminal() ? askSecret('API key: ') : firstLine(process.stdin, 'The key on standard input');

interface Examined {
  readonly code: 0 | 3 | 4;
  readonly lines: readonly string[];
}

/** Identifies the owner of an API key. The returned lines never contain more than the public part of the key. */
export async function examineKey({ db, clock }: { db: Db; clock: Clock }, text: string): Promise<Examined> {
  const parts = parseKey(text);
  if (!parts) {
    return { code: 4, lines: [`${pc.yellow('–')} This is not an API key: its form or its checksum is wrong.`] };
  }
  const prefix = prefixOf(parts.public_id);
  const state = await findKeyState(db, { public_id: parts.public_id });
  if (!state) {
    const why = 'It is unknown: it belongs to another service, or it ended long ago.';
    return { code: 4, lines: [`${pc.yellow('–')} ${prefix} is not a key of this service. ${why}`] };
  }
  if (!isRightSecret(state, parts)) {
    const why = 'A key with this public part exists, but with another secret part.';
    return { code: 4, lines: [`${pc.yellow('–')} ${prefix} is not a key of this service. ${why}`] };
  }
  const endedAt = [state.revoked_at, state.ends_at]
    .filter((time) => time !== null && time <= clock.now())
    .sort((one, other) => Number(one) - Number(other))[0];
  const hasEnded = endedAt !== undefined || state.deleted_at !== null;
  const organization = await findOrganization(db, state.organization_id);
  const facts = [
    `service account: ${state.name} (${state.service_account_id})`,
    `organization: ${organization?.name ?? ''} (${state.organization_id})`,
    ...(hasEnded || state.ends_at === null ? [] : [`ends: ${state.ends_at.toISOString()}`]),
    `last used: ${state.last_used_at?.toISOString() ?? 'never'}`,
    ...(state.disabled_at !== null && !hasEnded
      ? ['The service account is disabled: the key is rejected for now.']
      : []),
    ...(state.suspended_at !== null && !hasEnded
      ? ['The organization is suspended: the key is rejected for now.']
      : []),
  ];
  const first = hasEnded
    ? `${pc.yellow('!')} ${prefix} is a key of this service that has ended${endedAt ? ` at ${endedAt.toISOString()}` : ''}.`
    : `${pc.green('✓')} ${prefix} is an active key of this service.`;
  return { code: hasEnded ? 3 : 0, lines: [first, ...facts.map((fact) => `  ${fact}`)] };
}
