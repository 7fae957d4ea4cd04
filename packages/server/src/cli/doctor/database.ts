import { listProviderRows, type ProviderRow } from '../../domain/providers/queries.ts';
import { createSigningKeys } from '../../domain/signing-keys/keys.ts';
import { countSecretsUnder } from '../../features/mfa/queries.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import { migrationStatus } from '../../platform/db/migrate.ts';
import { serverVersion } from '../../platform/db/server-version.ts';
import { counted } from '../counted.ts';
import type { OpenedDatabase } from '../database.ts';
import { findUnfinished, RUNNING } from '../unfinished-import.ts';
import { type Finding, failed, ok, skipped, warning } from './finding.ts';
import { examineHashKeys } from './hash-keys.ts';
import { examineOwner } from './owner.ts';
import { examinePooler } from './pooler.ts';

const OLDEST = 15;

/** The findings, and what is stored of providers once the schema is there. */
export interface Examined {
  readonly findings: readonly Finding[];
  readonly providers: readonly ProviderRow[] | undefined;
}

export async function examineDatabase(config: Config, database: OpenedDatabase): Promise<Examined> {
  const { db } = database;
  const version = await serverVersion(db);
  const where = database.embedded ? `embedded PostgreSQL ${version} in ${config.DATA_DIR}` : `PostgreSQL ${version}`;
  const reached =
    version >= OLDEST
      ? ok('database', where)
      : failed('database', `${where} is too old`, `Use PostgreSQL ${OLDEST} or later.`);
  const { applied, pending } = await migrationStatus(db);
  if (pending.length > 0) {
    const finding = failed(
      'migrations',
      `${pending.length} pending`,
      'Run `npx gatehouse migrate`; `serve` does it too.',
    );
    const findings = [
      reached,
      finding,
      skipped('signing keys', 'migrations come first'),
      skipped('second factors', 'migrations come first'),
      skipped('platform owner', 'migrations come first'),
    ];
    return { findings, providers: undefined };
  }
  const findings = [
    reached,
    ok('migrations', `${applied.length} applied, none pending`),
    ...(await examinePooler(config, db)),
    ...(await examineImport(db)),
    await examineKeys(config, database),
    await examineSecondFactors(config, database),
    ...(await examineHashKeys(config, db)),
    await examineOwner(config, db),
  ];
  return { findings, providers: await listProviderRows(db) };
}

/** Nothing when all is there. */
async function examineImport(db: Db): Promise<Finding[]> {
  const found = await findUnfinished(db);
  if (found === undefined) return [];
  if (found === RUNNING) return [failed('import', 'one is running', 'Let it come to its end, then start the service.')];
  const fix =
    'Run the same `npx gatehouse import <dir>` again: it goes on where it was. If the export is gone, use an empty database.';
  return [failed('import', 'one was cut off: only a part of the service is there', fix)];
}

async function examineKeys(config: Config, { db }: OpenedDatabase): Promise<Finding> {
  const keys = createSigningKeys(db, systemClock, createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS));
  await keys.reload();
  const current = keys.current();
  if (current) return ok('signing keys', `${keys.jwks().keys.length} published, signing with ${current.kid}`);
  if (keys.all().length === 0) return ok('signing keys', 'none yet: the first start makes one');
  const fix =
    'Put the old secret back into JWT_SECRET, or into JWT_SECRET_PREVIOUS and run `npx gatehouse keys rewrap`.';
  return failed('signing keys', 'JWT_SECRET opens none of them: the next start ends every session', fix);
}

/** The contract, section 4: a secret that cannot be unsealed matches no code, and somebody must be told. */
async function examineSecondFactors(config: Config, { db }: OpenedDatabase): Promise<Finding> {
  const { current, previous } = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  const found = await countSecretsUnder(db, { current: current.id, previous: previous?.id });
  if (found.lost > 0) {
    return warning(
      'second factors',
      `JWT_SECRET does not open ${counted(found.lost, 'authenticator secret')}: no code of theirs matches`,
      'Put the old secret into JWT_SECRET_PREVIOUS and run `npx gatehouse keys rewrap`. If it is gone: recovery codes and ' +
        'passkeys go on working, and a platform admin can reset the MFA of who has neither.',
    );
  }
  if (found.previous > 0) {
    return warning(
      'second factors',
      `${counted(found.previous, 'authenticator secret')} still under JWT_SECRET_PREVIOUS`,
      'Run `npx gatehouse keys rewrap` before you unset it.',
    );
  }
  return ok('second factors', `JWT_SECRET opens ${counted(found.current, 'authenticator secret')}`);
}
