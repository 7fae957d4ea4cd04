import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newEmail } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { unseal } from '../../platform/crypto/seal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { forceLease, SERVED } from '../../platform/db/lease.ts';
import { keyringOf, LOST_KEY, OLD_KEY } from '../provider-settings/rows-fixture.ts';
import { type Manifest, readManifest, renderManifest } from './manifest.ts';
import { emptyDatabases, exportInto, importFrom, keyFor, NEW, OLD, SCHEMA } from './move-fixture.ts';
import { deriveKey, newKdf } from './passphrase-key.ts';
import { fillService, fingerprints, newFolder } from './service-fixture.ts';
import { prepareFolder } from './write-export.ts';

const place = newFolder();
const databases = emptyDatabases();
const app = useTestApp({ environment: { CONFIG_ENCRYPTION_KEY: OLD_KEY } });
let accounts: Awaited<ReturnType<typeof fillService>>;
let whole: string;
let untouched: Db;
beforeAll(async () => {
  accounts = await fillService(app);
  whole = (await exportInto(place.folder, app.deps.db)).folder;
  untouched = (await databases.create()).db;
});
afterAll(async () => {
  await databases.close();
  place.remove();
});

const copyOf = (folder = whole) => {
  const copy = mkdtempSync(join(place.folder, 'copy-'));
  cpSync(folder, copy, { recursive: true });
  return copy;
};

async function rewritten(change: (manifest: Manifest) => Partial<Manifest>): Promise<string> {
  const copy = copyOf();
  const unverified = await readManifest(copy, SCHEMA);
  const manifest = { ...unverified.manifest, ...change(unverified.manifest) };
  writeFileSync(join(copy, 'manifest.json'), renderManifest(await keyFor(unverified), manifest));
  return copy;
}

const expectFailure = (folder: string, message: string, db: Db = untouched): Promise<void> =>
  expect(importFrom(folder, db)).rejects.toThrow(message);

describe('an incomplete or changed export is rejected', () => {
  it('an export with a changed byte is rejected', async () => {
    const copy = copyOf();
    const path = join(copy, 'memberships.ndjson');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"owner"', '"admin"'));
    await expectFailure(copy, 'memberships.ndjson was changed: its checksum does not match');
  });

  it('an export with a file that is too short or too long is rejected', async () => {
    const [short, long] = [copyOf(), copyOf()];
    const path = join(short, 'users.ndjson');
    truncateSync(path, readFileSync(path).length - 1);
    await expectFailure(short, 'users.ndjson was changed');
    appendFileSync(join(long, 'audit_events.ndjson'), '\n');
    await expectFailure(long, 'audit_events.ndjson was changed');
  });

  it('an export with a missing file is rejected', async () => {
    const copy = copyOf();
    rmSync(join(copy, 'avatars.ndjson'));
    await expectFailure(copy, 'avatars.ndjson cannot be used: it does not exist');
  });

  it('an export without a manifest, as after an interruption, is rejected', async () => {
    const copy = copyOf();
    rmSync(join(copy, 'manifest.json'));
    await expectFailure(copy, 'is not a complete export');
    await expectFailure(join(place.folder, 'nowhere'), 'is not a complete export');
  });

  it('an export with a manifest that was changed without the passphrase is rejected', async () => {
    const copy = copyOf();
    const path = join(copy, 'manifest.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"rows": 3/, '"rows": 4'));
    await expectFailure(copy, 'The passphrase is wrong, or the export was changed.');
  });

  it.each(['', 'null', '[]', '{}', '{"mac": "00"}', '{"mac": 1, "kdf": {}}', '{"mac": "00", "kdf": null}'])(
    'an export with the manifest %j is rejected',
    async (text) => {
      const copy = copyOf();
      writeFileSync(join(copy, 'manifest.json'), text);
      await expectFailure(copy, 'is not a valid manifest of `export`');
    },
  );

  it.each([
    { N: 2 ** 30 },
    { N: 2 ** 21, r: 1 },
    { N: 2 ** 13 },
    { N: 2 ** 17 - 1 },
    { N: 2 ** 17, r: 1 },
    { r: 33, N: 2 ** 14 },
    { r: 0 },
    { r: 'many' as unknown as number },
    { N: 0 },
    { r: 1e9 },
    { p: 1000 },
    { p: 1.5 },
    { name: 'argon2' as 'scrypt' },
    { salt: undefined as unknown as string },
  ])('an export with the key derivation parameters %j in its manifest is rejected', async (change) => {
    await expect(deriveKey('x', { ...newKdf(), ...change })).rejects.toThrow('that this version does not support');
  });
});

describe('an export of another version', () => {
  it('an export with another format, a newer schema, an unknown column or file is rejected', async () => {
    await expectFailure(await rewritten(() => ({ format: 2 as 1 })), 'The export has format 2');
    await expectFailure(await rewritten(() => ({ schema_version: SCHEMA + 1 })), 'Update Gatehouse first');
    const strange = (change: object) =>
      rewritten(({ files: [first, ...rest] }) => ({ files: [{ ...first!, ...change }, ...rest] }));
    await expectFailure(await strange({ columns: ['id', 'shoe_size'] }), 'The export contains organizations.shoe_size');
    await expectFailure(await strange({ table: 'sessions', file: 'sessions.ndjson' }), 'contains sessions.ndjson');
    await expectFailure(await strange({ file: '../organizations.ndjson' }), 'contains ../organizations.ndjson');
  });

  it('text of an unverified export is not printed to the terminal unchanged', async () => {
    const gatehouse_version = `9\x1b]0;title\x07\u009b2J\u202e${'x'.repeat(1000)}`;
    const schema_version = SCHEMA + 1;
    const newer = await rewritten(() => ({ gatehouse_version, schema_version }));
    const { message } = await importFrom(newer, untouched).catch((error) => error);
    expect(message).toMatch(/^[ -~]+$/);
    expect(message.length).toBeLessThan(250);
    for (const strange of [{ format: '\x1b[2J' as unknown as 1 }, { schema_version: '\x1b[2J' as unknown as number }]) {
      await expectFailure(await rewritten(() => strange), 'is not a valid manifest of `export`');
    }
  });

  it('an older export is loaded: missing columns get their defaults', async () => {
    const old = await rewritten(({ files }) => ({
      schema_version: 3,
      files: files
        .filter(({ table }) => table !== 'invitations')
        .map((file) =>
          file.table === 'totp_secrets'
            ? { ...file, columns: file.columns.filter((column) => column !== 'used_steps') }
            : file,
        ),
    }));
    const { db } = await databases.create();
    expect(await importFrom(old, db)).toBe('loaded');
    expect(await db.selectFrom('totp_secrets').select('used_steps').execute()).toEqual([{ used_steps: [] }]);
    expect(await db.selectFrom('invitations').selectAll().execute()).toEqual([]);
  });
});

describe('a JSON null', () => {
  it('is preserved in a column that is not nullable', async () => {
    const [first, second] = [await databases.create(), await databases.create()];
    await sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id,
      metadata, outcome) values (gen_random_uuid(), now(), gen_random_uuid(), 'system', 'x', 'x', 'x', 'null', 'x')`.execute(
      first.db,
    );
    const { folder } = await exportInto(place.folder, first.db);
    expect(await importFrom(folder, second.db)).toBe('loaded');
    expect(await fingerprints(second.db)).toEqual(await fingerprints(first.db));
  });
});

describe('rows that the database rejects', () => {
  it('are reported by file and lines, and nothing of their batch is stored', async () => {
    const unfit = await rewritten(({ files }) => ({
      files: files.map((file) => ({ ...file, columns: file.columns.filter((column) => column !== 'joined_at') })),
    }));
    const { db } = await databases.create();
    await expectFailure(unfit, 'memberships.ndjson, lines 1 to 4: the database rejects them', db);
    expect(await db.selectFrom('memberships').selectAll().execute()).toEqual([]);
  });
});

describe('an unsuitable database is rejected', () => {
  it('a database with rows is rejected', async () => {
    const { db } = await databases.create();
    const statements: Record<string, string> = {
      users: `insert into users (id, email, status, created_at, updated_at)
          values (gen_random_uuid(), 'a@example.com', 'active', now(), now())`,
      organizations: `insert into organizations values (gen_random_uuid(), 'A', 'a', now())`,
      milestones: `insert into milestones values ('initial_owner', now())`,
      audit_events: `insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type,
          resource_id, metadata, outcome) values (gen_random_uuid(), now(), gen_random_uuid(), 'system', 'x', 'x', 'x', '{}', 'x')`,
    };
    for (const [table, statement] of Object.entries(statements)) {
      await sql.raw(statement).execute(db);
      await expectFailure(whole, `The database has rows in ${table} that are not from this export`, db);
      // Audit events, which come last, cannot be deleted.
      if (table !== 'audit_events') await sql.raw(`delete from ${table}`).execute(db);
    }
    expect(await db.selectFrom('imports').selectAll().execute()).toEqual([]);
  });

  it('a database that another export was loaded into is rejected', async () => {
    const { db } = await databases.create();
    await importFrom(whole, db);
    const other = await exportInto(place.folder, app.deps.db);
    await expectFailure(other.folder, 'Data is not merged', db);
  });

  it('a database is accepted if an import of another export failed in it before it stored rows', async () => {
    const { db } = await databases.create();
    const short = copyOf();
    truncateSync(join(short, 'users.ndjson'), 10);
    await expectFailure(short, 'users.ndjson was changed', db);
    expect(await db.selectFrom('imports').selectAll().execute()).toEqual([]);
    // The state after an interruption between the start of the import and its first batch.
    await sql`insert into imports values (gen_random_uuid(), 'users.ndjson', 0, null)`.execute(db);
    const other = await exportInto(place.folder, app.deps.db);
    expect(await importFrom(other.folder, db)).toBe('loaded');
    await exportInto(place.folder, db, { keyrings: NEW });
  });

  it('a database that a running service uses is rejected', async () => {
    const running = await startTestApp();
    await expectFailure(whole, 'A service uses this database', running.deps.db);
    await running.close();
  });

  it('a database that a service uses or used a moment ago is rejected, behind a pooler that hides its connections', async () => {
    const { db } = await databases.create();
    await forceLease(db, SERVED, 60);
    await expect(importFrom(whole, db, { pooled: true })).rejects.toThrow('A service uses this database, or did');
    expect(await importFrom(whole, db)).toBe('loaded');
  });

  it('an export with provider secrets is rejected without CONFIG_ENCRYPTION_KEY', async () => {
    const keyrings = { ...NEW, CONFIG_ENCRYPTION_KEY: undefined };
    const { db } = await databases.create();
    await expect(importFrom(whole, db, { keyrings })).rejects.toThrow('CONFIG_ENCRYPTION_KEY is not set');
    expect(await db.selectFrom('imports').selectAll().execute()).toEqual([]);
    for (const table of ['provider_configs', 'sso_connections'] as const) {
      await app.deps.db.updateTable(table).set({ sealed_secret: null }).execute();
    }
    const without = await exportInto(place.folder, app.deps.db);
    expect(await importFrom(without.folder, db, { keyrings })).toBe('loaded');
  });
});

describe('values that the old service cannot decrypt', () => {
  it('are listed, exported unchanged, and decrypted with the key that sealed them', async () => {
    const lost = {
      JWT_SECRET: createKeyring('another secret since the last'.repeat(2)),
      CONFIG_ENCRYPTION_KEY: keyringOf(LOST_KEY),
    };
    const { db } = app.deps;
    await db
      .updateTable('users')
      .set({ email: newEmail('lost') })
      .where('id', '=', accounts.app_holder.user_id)
      .execute();
    const { email } = await db
      .selectFrom('users')
      .select('email')
      .where('id', '=', accounts.app_holder.user_id)
      .executeTakeFirstOrThrow();
    const { folder, manifest } = await exportInto(place.folder, db, { keyrings: lost });
    const fileOf = (table: string) => manifest.files.find((file) => file.table === table)!;
    expect(fileOf('totp_secrets')).toMatchObject({ sealed: 0, unopened: 1, unopened_of: [email] });
    expect(fileOf('foreign_hash_keys')).toMatchObject({ sealed: 0, unopened: 1 });

    const target = await databases.create();
    await importFrom(folder, target.db, { keyrings: { ...NEW, CONFIG_ENCRYPTION_KEY: undefined } });
    const sealed = (from: Db) => from.selectFrom('totp_secrets').select('sealed_secret').execute();
    expect(await sealed(target.db)).toEqual(await sealed(db));
    const given = { current: NEW.JWT_SECRET.current, previous: OLD.JWT_SECRET.current };
    const binding = { purpose: 'totp', row: accounts.app_holder.user_id } as const;
    expect(unseal(given, binding, (await sealed(target.db))[0]!.sealed_secret)).toBeDefined();
  });
});

describe('the database after all imports that failed', () => {
  it('contains no row', async () => {
    expect(await untouched.selectFrom('imports').selectAll().execute()).toEqual([]);
    const prints = Object.values(await fingerprints(untouched));
    expect(prints).toEqual(prints.map(() => '0 '));
  });
});

describe('a folder for an export', () => {
  it('the folder for an export is created if it does not exist, and must be empty', async () => {
    const folder = join(place.folder, 'deep/er');
    expect(await prepareFolder(folder)).toBe(false);
    expect(await prepareFolder(folder)).toBe(false);
    for (const [mode, entered] of [
      [0o755, true],
      [0o710, true],
      [0o700, false],
    ] as const) {
      chmodSync(folder, mode);
      expect(await prepareFolder(folder)).toBe(entered);
    }
    writeFileSync(join(folder, 'users.ndjson.part'), '');
    await expect(prepareFolder(folder)).rejects.toThrow('contains an interrupted export');
    await expect(prepareFolder(whole)).rejects.toThrow('is not empty');
    await expect(prepareFolder(join(whole, 'users.ndjson'))).rejects.toThrow('cannot be used');
    await expect(prepareFolder(join(whole, 'users.ndjson', 'below'))).rejects.toThrow('it is not a folder');
  });
});
