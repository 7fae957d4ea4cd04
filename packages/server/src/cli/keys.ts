import type { Command } from 'commander';
import pc from 'picocolors';
import { createApp } from '../app.ts';
import { rewrapMails } from '../domain/mail/rewrap.ts';
import { LostSecretError, rotateSigningKey } from '../domain/signing-keys/ensure-key.ts';
import { rewrapSigningKeys } from '../domain/signing-keys/rewrap.ts';
import { rewrapTotpSecrets } from '../features/mfa/rewrap.ts';
import { CommandFailure } from './failure.ts';
import { withDatabase } from './with-database.ts';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('the keys that sign access tokens, and the secret that seals them');
  keys
    .command('rotate')
    .description('publish a new signing key now, and sign with it once every cache has it')
    .action(rotate);
  keys
    .command('rewrap')
    .description('seal everything under JWT_SECRET that is still sealed under JWT_SECRET_PREVIOUS')
    .action(rewrap);
}

const rotate = (): Promise<void> =>
  withDatabase(async (tool) => {
    const { deps } = createApp({ config: tool.config, log: tool.log, database: tool });
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
    const { deps } = createApp({ config: tool.config, log: tool.log, database: tool });
    if (!deps.keyring.previous) {
      throw new CommandFailure(
        'JWT_SECRET_PREVIOUS is not set. Set it to the old secret, and JWT_SECRET to the new one.',
      );
    }
    const signingKeys = await rewrapSigningKeys(deps);
    const secrets = await rewrapTotpSecrets(deps);
    const mails = await rewrapMails(deps.db, deps.keyring);
    const counts = `${signingKeys.done} signing keys, ${secrets.done} authenticator secrets, ${mails.rewrapped} queued mails`;
    console.log(`${pc.green('✓')} Sealed anew: ${counts}.`);
    const lost = signingKeys.lost + secrets.lost + mails.unreadable;
    if (lost > 0) throw new CommandFailure(`${lost} are sealed under neither secret and were left as they are.`);
    console.log(
      '  Unset JWT_SECRET_PREVIOUS once every refresh token made before has ended (REFRESH_TOKEN_TTL, 30 days).',
    );
  });
