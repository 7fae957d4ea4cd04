import type { Command } from 'commander';
import pc from 'picocolors';
import { type Loaded, loadExport } from '../../domain/export/load-export.ts';
import { type Manifest, readManifest, verifyManifest } from '../../domain/export/manifest.ts';
import { deriveKey } from '../../domain/export/passphrase-key.ts';
import { systemClock } from '../../platform/clock.ts';
import type { MasterKey } from '../../platform/crypto/keyring.ts';
import { isPooled } from '../../platform/db/connect.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { cliCommand } from '../support/cli-command.ts';
import { startedByNpm } from '../support/environment.ts';
import { knownPassphrase, passphraseOption } from '../support/passphrase.ts';
import { stopSignal } from '../support/stop-signal.ts';
import { counted } from '../support/text.ts';
import { explaining, follow, keyringsOf, SCHEMA_VERSION, warn, withUnlimitedStatements } from '../support/transfer.ts';
import { rowsIn, summaryOf } from '../support/transfer-summary.ts';
import { type Tool, withDatabase } from '../support/with-database.ts';
import { addImportFromOptions, type ImportFromOptions, importFrom } from './import-from.ts';

interface Options extends ImportFromOptions {
  readonly passphraseFile?: string;
}

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('import an export into an empty database, or import the users of another service')
    .argument('<path>', 'the folder that `export` wrote; with --from, the file of the other service')
    .addOption(passphraseOption().conflicts('from'));
  addImportFromOptions(command).addHelpText(
    'after',
    '\nStop the service first. To continue an interrupted import, run the same command again.' +
      '\nNothing is merged: the database must not contain users, except with --from. See docs/migrating.md.',
  );
  command.action(async (path: string, options: Options) => {
    if (options.from !== undefined) return importFrom(path, options);
    const { passphraseFile, ...others } = options;
    const [stray] = Object.keys(others);
    if (stray !== undefined) {
      const flag = command.options.find((option) => option.attributeName() === stray)?.long;
      command.error(`error: option '${flag}' can only be used with --from`);
    }
    return importFolder(path, passphraseFile);
  });
}

async function importFolder(folder: string, passphraseFile: string | undefined): Promise<void> {
  const signal = stopSignal(startedByNpm);
  const stopped = 'Stopped. To continue, run the same command again.';
  await explaining(signal, stopped, async () => {
    const unverified = await readManifest(folder, SCHEMA_VERSION);
    const key = await deriveKey(await knownPassphrase(passphraseFile), unverified.manifest.kdf);
    verifyManifest(unverified, key);
    const { manifest } = unverified;
    await withDatabase((tool) => load(tool, { folder, manifest, key, signal }), { create: true });
  });
}

interface Verified {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly key: MasterKey;
  readonly signal: AbortSignal;
}

async function load(tool: Tool, { folder, manifest, key, signal }: Verified): Promise<void> {
  const now = systemClock.now();
  await migrate(tool.address, now);
  const move = { export_id: manifest.export_id, key, keyrings: keyringsOf(tool.config) };
  const pooled = isPooled(tool.address);
  const loaded = await withUnlimitedStatements(tool, (db) =>
    loadExport({ db, folder, manifest, move, pooled, now, follow, signal }),
  );
  report(tool, manifest, loaded);
}

function report({ config }: Tool, manifest: Manifest, { state, own_events }: Loaded): void {
  const say = (text: string): void => console.log(`${pc.green('✓')} ${text}`);
  const what = `the export of ${manifest.created_at}`;
  if (state === 'already') {
    say(`Nothing to do: ${what} was already imported into this database.`);
    return;
  }
  say(`Imported ${rowsIn(manifest)} of ${what}${state === 'went_on' ? ', continuing an interrupted import' : ''}`);
  for (const line of summaryOf(manifest)) console.log(line);
  if (own_events > 0) {
    const follow = own_events === 1 ? 'follows' : 'follow';
    console.log(
      `${counted(own_events, 'row')} from the start of this service now ${follow} the imported ones in the audit trail.\n`,
    );
  }
  if (new URL(config.PUBLIC_BASE_URL).hostname !== new URL(manifest.public_base_url).hostname) {
    warn(
      `PUBLIC_BASE_URL was ${manifest.public_base_url} and is now ${config.PUBLIC_BASE_URL}. Passkeys are bound to the ` +
        'host name: none of the imported passkeys works here.',
    );
  }
  console.log(
    `Next: run ${cliCommand('doctor')}, then start the service. All users sign in again, with their existing password,\n` +
      'authenticator app, recovery codes and passkeys. Delete the export when everything works.',
  );
}
