import type { Command } from 'commander';
import pc from 'picocolors';
import { createDeps } from '../../deps.ts';
import { rewrapHashKeys } from '../../domain/credentials/hashes/keys.ts';
import { rewrapMails } from '../../domain/mail/rewrap.ts';
import { rewrapTotpSecrets } from '../../domain/mfa/rewrap.ts';
import { LostSecretError, rotateSigningKey } from '../../domain/signing-keys/ensure-key.ts';
import { rewrapSigningKeys } from '../../domain/signing-keys/rewrap.ts';
import type { MasterKey } from '../../platform/crypto/keyring.ts';
import { isPooled } from '../../platform/db/connect.ts';
import { listServing } from '../../platform/db/server-state.ts';
import { CommandFailure } from '../support/failure.ts';
import { counted } from '../support/text.ts';
import { expectCurrentSchema, type Tool, withDatabase } from '../support/with-database.ts';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('the keys that sign access tokens, and the secret that seals them');
  keys
    .command('rotate')
    .description('publish a new signing key now, and sign with it once every cache has it')
    .action(rotate);
  keys
    .command('rewrap')
    .description(
      'seal everything under JWT_SECRET that is still sealed under JWT_SECRET_PREVIOUS; run it once every replica has both',
    )
    .action(rewrap);
}

const rotate = (): Promise<void> =>
  withDatabase(async (tool) => {
    await expectCurrentSchema(tool.db);
    const { deps } = createDeps({ config: tool.config, log: tool.log, database: tool });
    const { kid, signs_from, previous_until } = await rotateSigningKey(deps).catch((error) => {
      if (!(error instanceof LostSecretError)) throw error;
      throw new CommandFailure(
        'JWT_SECRET opens none of the signing keys. Set it to the secret the service runs with.',
      );
    });
    console.log(`${pc.green('✓')} Published ${kid}`);
    console.log(
      `  It signs from ${signs_from.toISOString()}; the key before it stays published until ${previous_until.toISOString()}.`,
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
    await expectKnown(tool, deps.keyring.current);
    const signingKeys = await rewrapSigningKeys(deps);
    const secrets = await rewrapTotpSecrets(deps);
    const mails = await rewrapMails(deps.db, deps.keyring);
    const hashKeys = await rewrapHashKeys(deps);
    const done = { key: signingKeys.done, secret: secrets.done, mail: mails.rewrapped, hashKey: hashKeys.done };
    const lost = { key: signingKeys.lost, secret: secrets.lost, mail: mails.unreadable, hashKey: hashKeys.lost };
    console.log(`${pc.green('✓')} Sealed anew: ${inWords(done)}.`);
    console.log(
      '  Unset JWT_SECRET_PREVIOUS once every refresh token made before has ended (REFRESH_TOKEN_TTL, 30 days).',
    );
    if (Object.values(lost).some((count) => count > 0)) {
      const what = `${inWords(lost)} sealed under neither secret, left as found.`;
      throw new CommandFailure(
        `${what} Run this with the secret they were sealed under; \`doctor\` says what it means.`,
      );
    }
  });

/** What is sealed anew can no longer be read by a service that runs with the old secret alone. Behind a pooler it cannot be told who runs. */
async function expectKnown({ db, address }: Tool, { id }: MasterKey): Promise<void> {
  const others = isPooled(address) ? [] : (await listServing(db)).filter(({ mark }) => mark !== id);
  const placeOf = (other: { pid: number; address: string | null }) =>
    `process ${other.pid} of PostgreSQL serves ${other.address ?? 'this machine'}`;
  for (const other of others.filter(({ silent }) => silent)) {
    console.error(
      `${pc.yellow('!')} A connection with another secret is silent (${placeOf(other)}). If a service is paused there, restart it before it goes on.`,
    );
  }
  const other = others.find(({ silent }) => !silent);
  if (!other) return;
  throw new CommandFailure(
    `A service runs on this database that does not seal with this JWT_SECRET yet: it could sign nobody in any more (${placeOf(other)}). Restart every replica with both secrets, then run this again. Nothing was changed.`,
  );
}

interface Counts {
  readonly key: number;
  readonly secret: number;
  readonly mail: number;
  readonly hashKey: number;
}

const inWords = ({ key, secret, mail, hashKey }: Counts): string =>
  [
    counted(key, 'signing key'),
    counted(secret, 'authenticator secret'),
    counted(mail, 'queued mail'),
    counted(hashKey, 'imported hash key'),
  ].join(', ');
