import type { Command } from 'commander';
import pc from 'picocolors';
import { createDeps } from '../../deps.ts';
import {
  LostSecretError,
  OtherSecretError,
  resetKeys,
  rotateApplicationKey,
  rotateSigningKey,
} from '../../domain/endings/ensure-key.ts';
import type { MasterKey } from '../../platform/crypto/keyring.ts';
import { SEALED_COLUMNS } from '../../platform/crypto/sealed-columns.ts';
import { isPooled } from '../../platform/db/connect.ts';
import { resealColumns } from '../../platform/db/reseal.ts';
import { listServing } from '../../platform/db/server-state.ts';
import { confirm } from '../support/confirm.ts';
import { CommandFailure } from '../support/failure.ts';
import { counted } from '../support/text.ts';
import { expectCurrentSchema, type Tool, withDatabase } from '../support/with-database.ts';

export function addKeys(program: Command): void {
  const keys = program
    .command('keys')
    .description('manage the keys that sign access tokens, and the secret that encrypts them');
  keys
    .command('rotate')
    .description('publish a new signing key now, and sign with it once caches have picked it up')
    .option('--applications', 'the key that signs the tokens of applications')
    .action(rotate);
  keys
    .command('reset')
    .description('end for good the keys that JWT_SECRET cannot decrypt, with their sessions and grants')
    .option('--yes', 'do not ask')
    .action(reset);
  keys
    .command('rewrap')
    .description(
      're-encrypt with JWT_SECRET everything that is encrypted with JWT_SECRET_PREVIOUS; restart every replica with both first',
    )
    .action(rewrap);
}

const reset = ({ yes }: { yes?: true }): Promise<void> =>
  withDatabase(async (tool) => {
    await expectCurrentSchema(tool.db);
    const { deps, close } = createDeps({ config: tool.config, log: tool.log, database: tool });
    try {
      if (
        !yes &&
        !(await confirm('End every key, session and grant under another JWT_SECRET? This cannot be undone.'))
      ) {
        throw new CommandFailure('Nothing was changed. To answer in advance, pass --yes.');
      }
      const { keys, sessions, grants } = await resetKeys(deps).catch((error) => {
        if (!(error instanceof OtherSecretError)) throw error;
        throw new CommandFailure(
          'A running process signs with a key that JWT_SECRET cannot decrypt. Stop it first; after a crash, wait a minute.',
        );
      });
      if (keys === 0) console.log(`${pc.green('✓')} JWT_SECRET decrypts all signing keys. Nothing was changed.`);
      else {
        const ended = [counted(keys, 'signing key'), counted(sessions, 'session'), counted(grants, 'grant')];
        console.log(`${pc.green('✓')} Ended: ${ended.join(', ')}.`);
      }
    } finally {
      await close();
    }
  });

const rotate = ({ applications }: { applications?: true }): Promise<void> =>
  withDatabase(async (tool) => {
    await expectCurrentSchema(tool.db);
    const { deps } = createDeps({ config: tool.config, log: tool.log, database: tool });
    const { kid, signs_from, previous_until } = await (applications ? rotateApplicationKey : rotateSigningKey)(
      deps,
    ).catch((error) => {
      if (!(error instanceof LostSecretError)) throw error;
      throw new CommandFailure(
        'JWT_SECRET decrypts none of the signing keys. Set it to the secret that the service runs with.',
      );
    });
    console.log(`${pc.green('✓')} Published ${kid}`);
    console.log(
      `  It signs from ${signs_from.toISOString()}. The previous key stays published until ${previous_until.toISOString()}.`,
    );
  });

const rewrap = (): Promise<void> =>
  withDatabase(async (tool) => {
    await expectCurrentSchema(tool.db);
    const { deps } = createDeps({ config: tool.config, log: tool.log, database: tool });
    if (!deps.keyring.previous) {
      throw new CommandFailure(
        'JWT_SECRET_PREVIOUS is not set. Set it to the old secret, and JWT_SECRET to the new one.',
      );
    }
    await requireSecretEverywhere(tool, deps.keyring.current);
    const counts = await resealColumns(
      deps.db,
      deps.keyring,
      SEALED_COLUMNS.filter(({ under }) => under === 'JWT_SECRET'),
    );
    const inWords = (of: 'done' | 'lost') => counts.map((count) => counted(count[of], count.noun)).join(', ');
    console.log(`${pc.green('✓')} Re-encrypted: ${inWords('done')}.`);
    console.log(
      '  Unset JWT_SECRET_PREVIOUS when all refresh tokens signed with it have expired (REFRESH_TOKEN_TTL, default 30 days).',
    );
    if (counts.some(({ lost }) => lost > 0)) {
      const what = `Neither secret decrypts: ${inWords('lost')}. They were not changed.`;
      throw new CommandFailure(
        `${what} Run this with the secret that they are encrypted with. \`doctor\` shows what this affects.`,
      );
    }
  });

/** Throws if a running service has another secret. Skipped behind a pooler, which hides the services' connections. */
async function requireSecretEverywhere({ db, address }: Tool, { id }: MasterKey): Promise<void> {
  const others = isPooled(address) ? [] : (await listServing(db)).filter(({ mark }) => mark !== id);
  const placeOf = (other: { pid: number; address: string | null }) =>
    `PostgreSQL process ${other.pid}, client ${other.address ?? 'on this machine'}`;
  for (const other of others.filter(({ silent }) => silent)) {
    console.error(
      `${pc.yellow('!')} A connection of a service with another secret does not respond (${placeOf(other)}). If that service is paused, restart it before it continues.`,
    );
  }
  const other = others.find(({ silent }) => !silent);
  if (!other) return;
  throw new CommandFailure(
    `A running service does not use this JWT_SECRET yet, and could no longer sign users in (${placeOf(other)}). Restart every replica with both secrets, then run this again. Nothing was changed.`,
  );
}
