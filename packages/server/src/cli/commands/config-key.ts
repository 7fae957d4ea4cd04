import { PROVIDER_NAMES, type Provider } from '@gatehouse/contract';
import type { Command } from 'commander';
import pc from 'picocolors';
import { type Rotation, rotateProviderSecrets } from '../../domain/providers/rotate.ts';
import { configKeyring } from '../../domain/providers/secret.ts';
import { createBus } from '../../platform/bus/bus.ts';
import { openBusConnection } from '../../platform/bus/connection.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { CommandFailure } from '../support/failure.ts';
import { counted } from '../support/text.ts';
import { expectCurrentSchema, withDatabase } from '../support/with-database.ts';

export function addConfigKey(program: Command): void {
  const key = program.command('config-key').description('the key that seals the stored secrets of providers');
  key
    .command('rotate')
    .description(
      'seal everything under CONFIG_ENCRYPTION_KEY that is still sealed under CONFIG_ENCRYPTION_KEY_PREVIOUS; ' +
        'every replica must run with both keys before',
    )
    .action(rotate);
}

/** Servers that run hear of it by the row on the bus, within a second. */
const rotate = (): Promise<void> =>
  withDatabase(async ({ config, log, db, address }) => {
    const keyring = bothKeys(config);
    await expectCurrentSchema(db);
    // A bus that nobody here listens to: it only writes.
    const bus = createBus(openBusConnection(address, log), log);
    report(await rotateProviderSecrets({ db, bus, clock: systemClock, configKeyring: keyring }));
  });

function bothKeys(config: Config): Keyring {
  const keyring = configKeyring(config);
  const fix = 'Set CONFIG_ENCRYPTION_KEY to the new key, and CONFIG_ENCRYPTION_KEY_PREVIOUS to the old one.';
  if (!keyring) throw new CommandFailure(`CONFIG_ENCRYPTION_KEY is not set. ${fix}`);
  if (!keyring.previous) throw new CommandFailure(`CONFIG_ENCRYPTION_KEY_PREVIOUS is not set. ${fix}`);
  return keyring;
}

function report({ done, lost }: Rotation): void {
  const say = (text: string): void => console.log(`${pc.green('✓')} ${text}`);
  if (done.length > 0) say(`Sealed anew: ${inWords(done)}.`);
  if (lost.length > 0) {
    throw new CommandFailure(
      `${inWords(lost)} opened by neither key, left as found. Run this with the key they were sealed under in ` +
        'CONFIG_ENCRYPTION_KEY_PREVIOUS, or enter these secrets again, or clear them.',
    );
  }
  if (done.length === 0) say('There was nothing to do: no provider secret is under CONFIG_ENCRYPTION_KEY_PREVIOUS.');
  console.log(
    '  A replica that was not restarted with both keys cannot open them. Unset CONFIG_ENCRYPTION_KEY_PREVIOUS once all were.',
  );
}

const inWords = (providers: readonly Provider[]): string =>
  `${counted(providers.length, 'provider secret')} (${providers.map((provider) => PROVIDER_NAMES[provider]).join(', ')})`;
