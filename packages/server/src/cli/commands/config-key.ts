import { PROVIDER_NAMES } from '@gatehouse/contract';
import type { Command } from 'commander';
import pc from 'picocolors';
import { type Rotation, rotateProviderSecrets } from '../../domain/provider-settings/rotate.ts';
import { configKeyring } from '../../domain/provider-settings/secret.ts';
import { createBus } from '../../platform/bus/bus.ts';
import { openBusConnection } from '../../platform/bus/connection.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { SEALED_COLUMNS } from '../../platform/crypto/sealed-columns.ts';
import { resealColumns } from '../../platform/db/reseal.ts';
import { CommandFailure } from '../support/failure.ts';
import { counted } from '../support/text.ts';
import { expectCurrentSchema, withDatabase } from '../support/with-database.ts';

export function addConfigKey(program: Command): void {
  const key = program
    .command('config-key')
    .description('manage the key that encrypts the stored provider and single sign-on secrets');
  key
    .command('rotate')
    .description(
      're-encrypt with CONFIG_ENCRYPTION_KEY the secrets that are encrypted with CONFIG_ENCRYPTION_KEY_PREVIOUS; ' +
        'restart every replica with both keys first',
    )
    .action(rotate);
}

/** All columns but that of provider secrets, whose rotation is audited. */
const OTHER_COLUMNS = SEALED_COLUMNS.filter(
  ({ under, purpose }) => under === 'CONFIG_ENCRYPTION_KEY' && purpose !== 'provider',
);

/** Reseals stored secrets with the current key. Running servers are notified through the bus within a second. */
const rotate = (): Promise<void> =>
  withDatabase(async ({ config, log, db, address }) => {
    const keyring = bothKeys(config);
    await expectCurrentSchema(db);
    // The bus is not started, because this command only publishes events.
    const bus = createBus(openBusConnection(address, log), log);
    const others = await resealColumns(db, keyring, OTHER_COLUMNS);
    report(await rotateProviderSecrets({ db, bus, clock: systemClock, configKeyring: keyring }), others);
  });

function bothKeys(config: Config): Keyring {
  const keyring = configKeyring(config);
  const fix = 'Set CONFIG_ENCRYPTION_KEY to the new key, and CONFIG_ENCRYPTION_KEY_PREVIOUS to the old one.';
  if (!keyring) throw new CommandFailure(`CONFIG_ENCRYPTION_KEY is not set. ${fix}`);
  if (!keyring.previous) throw new CommandFailure(`CONFIG_ENCRYPTION_KEY_PREVIOUS is not set. ${fix}`);
  return keyring;
}

type Counts = Awaited<ReturnType<typeof resealColumns>>;

function report(providers: Rotation, others: Counts): void {
  const say = (text: string): void => console.log(`${pc.green('✓')} ${text}`);
  const done = inWords('done', providers, others);
  const lost = inWords('lost', providers, others);
  if (done) say(`Re-encrypted ${done}.`);
  if (lost) {
    throw new CommandFailure(
      `Neither key decrypts ${lost}. They were not changed. Set CONFIG_ENCRYPTION_KEY_PREVIOUS to the key ` +
        'they are encrypted with and run this again, or enter these secrets again, or clear them.',
    );
  }
  if (!done) say('Nothing to do: no stored secret is encrypted with CONFIG_ENCRYPTION_KEY_PREVIOUS.');
  console.log(
    '  A replica without both keys cannot decrypt them. When every replica has both, unset CONFIG_ENCRYPTION_KEY_PREVIOUS.',
  );
}

const inWords = (outcome: 'done' | 'lost', providers: Rotation, others: Counts): string => {
  const names = providers[outcome].map((provider) => PROVIDER_NAMES[provider]);
  return [
    ...(names.length > 0 ? [`${counted(names.length, 'provider secret')} (${names.join(', ')})`] : []),
    ...others.flatMap(({ noun, [outcome]: count }) => (count > 0 ? [counted(count, noun)] : [])),
  ].join(' and ');
};
