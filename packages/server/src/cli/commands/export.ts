import { resolve } from 'node:path';
import type { Command } from 'commander';
import pc from 'picocolors';
import { newKdf } from '../../domain/export/passphrase-key.ts';
import { noteExport } from '../../domain/export/queries.ts';
import { prepareFolder, writeExport } from '../../domain/export/write-export.ts';
import { createSigningKeys } from '../../domain/signing-keys/keys.ts';
import { listSigningKeys } from '../../domain/signing-keys/queries.ts';
import { systemClock } from '../../platform/clock.ts';
import { VERSION } from '../../version.ts';
import { cliCommand, quoted } from '../support/cli-command.ts';
import { startedByNpm, workingFolder } from '../support/environment.ts';
import { CommandFailure } from '../support/failure.ts';
import { newPassphrase, passphraseOption } from '../support/passphrase.ts';
import { stopSignal } from '../support/stop-signal.ts';
import { explaining, follow, keyringsOf, SCHEMA_VERSION, warn, withUnlimitedStatements } from '../support/transfer.ts';
import { rowsIn, summaryOf } from '../support/transfer-summary.ts';
import { expectCurrentSchema, type Tool, withDatabase } from '../support/with-database.ts';

interface Options {
  readonly passphraseFile?: string;
}

export function addExport(program: Command): void {
  program
    .command('export')
    .description('export all data to a folder, for `import` into another database')
    .argument('<dir>', 'a new or empty folder')
    .addOption(passphraseOption())
    .addHelpText(
      'after',
      '\nThe service can keep running: the export is a consistent snapshot. Encrypted values are re-encrypted with a' +
        '\npassphrase, which the command prompts for. Everything else, including password hashes, is readable. See docs/migrating.md.',
    )
    .action((folder: string, options: Options) => withDatabase((tool) => exportTo(tool, folder, options)));
}

/** Reads in a read-only transaction, then records the export for `doctor`. */
async function exportTo(tool: Tool, named: string, { passphraseFile }: Options): Promise<void> {
  const folder = resolve(workingFolder(), named);
  const signal = stopSignal(startedByNpm);
  const stopped = `Stopped. ${folder} does not contain a complete export. Delete it before you start again.`;
  const manifest = await explaining(signal, stopped, async () => {
    await requireComplete(tool);
    if (await prepareFolder(folder)) {
      warn(
        `Other users can list the file names in ${folder}, but not read the files. To fix: chmod 700 ${quoted(folder)}`,
      );
    }
    const passphrase = await newPassphrase(passphraseFile);
    const service = {
      gatehouse_version: VERSION,
      schema_version: SCHEMA_VERSION,
      public_base_url: tool.config.PUBLIC_BASE_URL,
    };
    const options = { folder, passphrase, keyrings: keyringsOf(tool.config), now: systemClock.now(), service };
    return withUnlimitedStatements(tool, (db) => writeExport({ ...options, db, kdf: newKdf(), follow, signal }));
  });
  // This fails on a standby, which is read-only; the export is complete anyway.
  await noteExport(tool.db).catch(() => {});
  console.log(`${pc.green('✓')} Exported ${rowsIn(manifest)} to ${folder}`);
  for (const line of summaryOf(manifest)) console.log(line);
  console.log(
    `Protect ${folder} like the database, and store the passphrase separately. Next, with the settings of the new service:\n` +
      `  ${cliCommand(`import ${quoted(folder)}`)}`,
  );
}

/**
 * Throws if the export would not be complete: if a later version has migrated the database, or if JWT_SECRET is not the
 * secret of the service.
 */
async function requireComplete({ db, config }: Tool): Promise<void> {
  const { unknown } = await expectCurrentSchema(db);
  if (unknown.length > 0) {
    throw new CommandFailure('A later version of Gatehouse has migrated this database. Export with that version.');
  }
  const keys = createSigningKeys(db, systemClock, keyringsOf(config).JWT_SECRET);
  await keys.reload();
  if (!keys.current() && (await listSigningKeys(db)).length > 0) {
    throw new CommandFailure(
      'JWT_SECRET decrypts none of the signing keys. Set it to the secret that the service runs with.',
    );
  }
}
