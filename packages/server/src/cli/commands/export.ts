import { resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { createSigningKeys } from '../../domain/signing-keys/keys.ts';
import { newKdf } from '../../domain/transfer/passphrase-key.ts';
import { noteExport } from '../../domain/transfer/queries.ts';
import { prepareFolder, writeExport } from '../../domain/transfer/write-export.ts';
import { systemClock } from '../../platform/clock.ts';
import { VERSION } from '../../version.ts';
import { startedByNpm, workingFolder } from '../support/environment.ts';
import { CommandFailure } from '../support/failure.ts';
import { ours, quoted } from '../support/ours.ts';
import { newPassphrase, passphraseOption } from '../support/passphrase.ts';
import { stopSignal } from '../support/stop-signal.ts';
import { follow, inWords, keyringsOf, SCHEMA_VERSION, warn, withPatience } from '../support/transfer.ts';
import { rowsIn, summaryOf } from '../support/transfer-summary.ts';
import { expectCurrentSchema, type Tool, withDatabase } from '../support/with-database.ts';

interface Options {
  readonly passphraseFile?: string;
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description('write the whole service to a folder, for `import` into another database')
    .argument('<dir>', 'a new or an empty folder')
    .addOption(passphraseOption())
    .addHelpText(
      'after',
      '\nThe service may go on running: everything is of one moment. What the service keeps sealed is sealed under a' +
        '\npassphrase, asked for at the terminal; the rest, password hashes too, is readable. docs/migrating.md tells all.',
    )
    .action((folder: string, options: Options) => withDatabase((tool) => exportTo(tool, folder, options)));
}

/** Reads in a read-only transaction; then it notes that it was here, for `doctor`. */
async function exportTo(tool: Tool, named: string, { passphraseFile }: Options): Promise<void> {
  const folder = resolve(workingFolder(), named);
  const signal = stopSignal(startedByNpm);
  const stopped = `Stopped. ${folder} holds no export: delete it before you begin again.`;
  const manifest = await inWords(signal, stopped, async () => {
    await refuseUnfit(tool);
    if (await prepareFolder(folder)) {
      warn(`Others may enter ${folder}: its files are for you alone, their names are not. chmod 700 mends it.`);
    }
    const passphrase = await newPassphrase(passphraseFile);
    const service = {
      gatehouse_version: VERSION,
      schema_version: SCHEMA_VERSION,
      public_base_url: tool.config.PUBLIC_BASE_URL,
    };
    const asked = { folder, passphrase, keyrings: keyringsOf(tool.config), now: systemClock.now(), service };
    return withPatience(tool, (db) => writeExport({ ...asked, db, kdf: newKdf(), follow, signal }));
  });
  // A standby takes no note, and the export is whole all the same.
  await noteExport(tool.db).catch(() => {});
  console.log(`${pc.green('✓')} Exported ${rowsIn(manifest)} to ${folder}`);
  for (const line of summaryOf(manifest)) console.log(line);
  console.log(
    `Keep ${folder} as secret as the database, and the passphrase apart from it. To go on, with the settings of the new service:\n` +
      `  ${ours(`import ${quoted(folder)}`)}`,
  );
}

/** Nothing is to be missing because of the version or the secret this was run with. */
async function refuseUnfit({ db, config }: Tool): Promise<void> {
  const { unknown } = await expectCurrentSchema(db);
  if (unknown.length > 0) {
    throw new CommandFailure('The schema is of a later version of Gatehouse. Export with that version.');
  }
  const keys = createSigningKeys(db, systemClock, keyringsOf(config).JWT_SECRET);
  await keys.reload();
  if (keys.all().length > 0 && !keys.current()) {
    throw new CommandFailure('JWT_SECRET opens none of the signing keys. Set it to the secret the service runs with.');
  }
}
