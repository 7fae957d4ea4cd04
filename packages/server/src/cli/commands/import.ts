import type { Command } from 'commander';
import pc from 'picocolors';
import { type Loaded, loadExport } from '../../domain/transfer/load-export.ts';
import { type Manifest, readManifest, verifyManifest } from '../../domain/transfer/manifest.ts';
import { deriveKey } from '../../domain/transfer/passphrase-key.ts';
import { systemClock } from '../../platform/clock.ts';
import type { MasterKey } from '../../platform/crypto/keyring.ts';
import { isPooled } from '../../platform/db/connect.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { startedByNpm } from '../support/environment.ts';
import { ours } from '../support/ours.ts';
import { knownPassphrase, passphraseOption } from '../support/passphrase.ts';
import { stopSignal } from '../support/stop-signal.ts';
import { counted } from '../support/text.ts';
import { follow, inWords, keyringsOf, SCHEMA_VERSION, warn, withPatience } from '../support/transfer.ts';
import { rowsIn, summaryOf } from '../support/transfer-summary.ts';
import { type Tool, withDatabase } from '../support/with-database.ts';
import { addImportFromOptions, type ImportFromOptions, importFrom } from './import-from.ts';

interface Options extends ImportFromOptions {
  readonly passphraseFile?: string;
}

export function addImport(program: Command): void {
  const command = program
    .command('import')
    .description('load what `export` has written into an empty database, or the users of another service')
    .argument('<path>', 'the folder that `export` made; with --from, the file of the other service')
    .addOption(passphraseOption().conflicts('from'));
  addImportFromOptions(command).addHelpText(
    'after',
    '\nStop the service first. An import that was cut off goes on where it was when the same command is run again.' +
      '\nNothing is merged: the database must have no users yet, except with --from. docs/migrating.md tells all.',
  );
  command.action(async (path: string, options: Options) => {
    if (options.from !== undefined) return importFrom(path, options);
    const { passphraseFile, ...others } = options;
    const [stray] = Object.keys(others);
    if (stray !== undefined) {
      const flag = command.options.find((option) => option.attributeName() === stray)?.long;
      command.error(`error: option '${flag}' is used together with --from alone`);
    }
    return importFolder(path, passphraseFile);
  });
}

async function importFolder(folder: string, passphraseFile: string | undefined): Promise<void> {
  const signal = stopSignal(startedByNpm);
  const stopped = 'Stopped. Run the same command again, and it goes on where it was.';
  await inWords(signal, stopped, async () => {
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
  const loaded = await withPatience(tool, (db) =>
    loadExport({ db, folder, manifest, move, pooled, now, follow, signal }),
  );
  report(tool, manifest, loaded);
}

function report({ config }: Tool, manifest: Manifest, { state, own_events }: Loaded): void {
  const say = (text: string): void => console.log(`${pc.green('✓')} ${text}`);
  const what = `the export of ${manifest.created_at}`;
  if (state === 'already') {
    say(`There was nothing to do: ${what} was imported into this database before.`);
    return;
  }
  say(`Imported ${rowsIn(manifest)} of ${what}${state === 'went_on' ? ', going on where it was cut off' : ''}`);
  for (const line of summaryOf(manifest)) console.log(line);
  if (own_events > 0) {
    const follow = own_events === 1 ? 'follows' : 'follow';
    console.log(
      `${counted(own_events, 'row')} of this service's own start now ${follow} the imported ones in the trail.\n`,
    );
  }
  if (new URL(config.PUBLIC_BASE_URL).hostname !== new URL(manifest.public_base_url).hostname) {
    warn(
      `PUBLIC_BASE_URL was ${manifest.public_base_url} and is ${config.PUBLIC_BASE_URL}: passkeys belong to the host name, ` +
        'so none of those that were moved works here.',
    );
  }
  console.log(
    `Next: ${ours('doctor')}, then start the service. Everybody signs in again, with the password, app, codes and\n` +
      'passkeys they have. Delete the export when all is well.',
  );
}
