import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import type { TestDatabase } from '../../../test/database.ts';
import { type TestApp, useTestApp } from '../../../test/harness.ts';
import { untilBlocked } from '../../../test/records.ts';
import { unseal } from '../../platform/crypto/seal.ts';
import { SEALED_COLUMNS } from '../../platform/crypto/sealed-columns.ts';
import { createHashKeys } from '../passwords/hashes/keys.ts';
import { OLD_KEY } from '../provider-settings/rows-fixture.ts';
import { openProviderSecret } from '../provider-settings/secret.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { emptyDatabases, exportInto, importFrom, keyFor, NEW, OLD, SCHEMA } from './move-fixture.ts';
import { fillService, fingerprints, HASH_KEY, newFolder, PASSPHRASE, SSO_SECRET } from './service-fixture.ts';
import { MOVED } from './tables.ts';

const place = newFolder();
const databases = emptyDatabases();
const app = useTestApp({ environment: { CONFIG_ENCRYPTION_KEY: OLD_KEY } });
let accounts: Awaited<ReturnType<typeof fillService>>;
let moved: { folder: string; manifest: Manifest };
let target: TestDatabase;
beforeAll(async () => {
  accounts = await fillService(app);
  moved = await exportInto(place.folder, app.deps.db);
  target = await databases.create();
  expect(await importFrom(moved.folder, target.db)).toBe('loaded');
});
afterAll(async () => {
  await databases.close();
  place.remove();
});

const textOf = (file: string) => readFileSync(join(moved.folder, file), 'utf8');

describe('export and import of a whole service', () => {
  it('export and import preserve every row of every table', async () => {
    const before = await fingerprints(app.deps.db);
    expect(await fingerprints(target.db)).toEqual(before);
    // Every table has rows.
    expect(Object.values(before).filter((print) => print.startsWith('0 '))).toEqual([]);
  });

  it('no column outside of the list of sealed columns contains a sealed value', async () => {
    const { db } = app.deps;
    const { rows: columns } = await sql<{ table: string; column: string }>`
      select table_name as "table", column_name as "column" from information_schema.columns
      where table_schema = current_schema() and data_type = 'text'`.execute(db);
    const found = await Promise.all(
      columns.map(async ({ table, column }) => {
        const { rows } =
          await sql`select from ${sql.table(table)} where ${sql.ref(column)} ~ '^v1:[0-9a-f]{16}:' limit 1`.execute(db);
        return rows.length > 0 ? [`${table}.${column}`] : [];
      }),
    );
    const listed = new Set(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`));
    expect(found.flat().length).toBeGreaterThan(5);
    expect(found.flat().filter((name) => !listed.has(name as never))).toEqual([]);
  });

  it('an imported service exports the same lines again, except for sealed values', async () => {
    const { folder } = await exportInto(place.folder, target.db, { keyrings: NEW });
    for (const { name, sealed } of MOVED) {
      const [first, second] = [moved.folder, folder].map((from) =>
        readFileSync(join(from, `${name}.ndjson`), 'utf8').replace(
          new RegExp(`"${sealed?.column}":"[^"]*"`, 'g'),
          `"${sealed?.column}":"…"`,
        ),
      );
      expect(second, name).toBe(first);
    }
  });

  it('an export consists of files that only the owner can read, and a manifest that lists them', () => {
    const names = readdirSync(moved.folder).sort();
    expect(names).toEqual([...MOVED.map(({ name }) => `${name}.ndjson`), 'manifest.json'].sort());
    for (const name of names) expect(statSync(join(moved.folder, name)).mode & 0o777).toBe(0o600);
    for (const { file, rows, bytes } of moved.manifest.files) {
      expect(textOf(file).split('\n')).toHaveLength(rows + 1);
      expect(statSync(join(moved.folder, file)).size).toBe(bytes);
    }
    expect(moved.manifest.not_moved.find(({ table }) => table === 'sessions')).toMatchObject({
      rows: 3,
      reason: 'all users sign in again',
    });
  });

  it('sealed values in an export are neither plain text nor encrypted with a key of the old service', async () => {
    const { sealed_secret } = JSON.parse(textOf('provider_configs.ndjson').split('\n')[0]!);
    expect(sealed_secret).not.toContain('re_hush');
    expect(openProviderSecret(OLD.CONFIG_ENCRYPTION_KEY, { provider: 'oauth_a', sealed_secret })).toHaveProperty(
      'reason',
    );
    expect(textOf('totp_secrets.ndjson')).not.toContain(OLD.JWT_SECRET.current.id);
    expect(textOf('foreign_hash_keys.ndjson')).not.toContain(OLD.JWT_SECRET.current.id);
  });

  it('sealed values can be decrypted with the secrets of the new service only', async () => {
    const { user_id } = accounts.app_holder;
    const secretIn = async (db: TestApp['deps']['db']) =>
      (await db.selectFrom('totp_secrets').select('sealed_secret').where('user_id', '=', user_id).executeTakeFirst())!
        .sealed_secret;
    const binding = { purpose: 'totp', row: user_id } as const;
    const sealed = await secretIn(target.db);
    expect(unseal(OLD.JWT_SECRET, binding, sealed)).toBeUndefined();
    expect(unseal(NEW.JWT_SECRET, binding, sealed)).toEqual(
      unseal(OLD.JWT_SECRET, binding, await secretIn(app.deps.db)),
    );

    const row = await target.db
      .selectFrom('provider_configs')
      .select(['provider', 'sealed_secret'])
      .where('provider', '=', 'oauth_a')
      .executeTakeFirstOrThrow();
    expect(openProviderSecret(NEW.CONFIG_ENCRYPTION_KEY, row)).toEqual({ secret: 're_hush of oauth_a' });

    const connection = await target.db
      .selectFrom('sso_connections')
      .select(['id', 'sealed_secret'])
      .executeTakeFirstOrThrow();
    const openSso = ({ CONFIG_ENCRYPTION_KEY }: typeof NEW) =>
      unseal(CONFIG_ENCRYPTION_KEY!, { purpose: 'sso', row: connection.id }, connection.sealed_secret!)?.toString();
    expect([openSso(NEW), openSso(OLD)]).toEqual([SSO_SECRET, undefined]);

    const { id } = await target.db.selectFrom('foreign_hash_keys').select('id').executeTakeFirstOrThrow();
    expect(await createHashKeys({ db: target.db, keyring: NEW.JWT_SECRET }).find(id)).toEqual(HASH_KEY);
  });

  it('imported audit rows are in the partitions of their months, and the next row gets the next id', async () => {
    const { rows } = await sql<{ part: string }>`select distinct tableoid::regclass::text as part from audit_events
      where "timestamp" < '2021-01-01' order by 1`.execute(target.db);
    expect(rows.map(({ part }) => part)).toEqual(['audit_events_201912', 'audit_events_202001', 'audit_events_202002']);
    const next = await sql<{
      id: number;
    }>`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action,
      resource_type, resource_id, metadata, outcome) values (gen_random_uuid(), now(), gen_random_uuid(), 'system', 'x', 'x', 'x',
      '{}', 'success') returning id`.execute(await scratch());
    expect(next.rows[0]!.id).toBe(moved.manifest.greatest_audit_id! + 1);
  });

  it('imported audit rows get transaction ids of the new database', async () => {
    const { rows } = await sql<{ strange: number }>`select count(*) as strange from audit_events
      where xid >= pg_snapshot_xmax(pg_current_snapshot()) or xid = '0'`.execute(target.db);
    expect(rows[0]!.strange).toBe(0);
  });

  it('the stored counts of users match the imported users', async () => {
    const { rows } = await sql<{ wrong: number }>`select count(*) as wrong from
      (select status, sum(delta) as count from user_counts group by status) as kept
      full join (select status, count(*) as count from users group by status) as there using (status)
      where coalesce(kept.count, 0) <> coalesce(there.count, 0)`.execute(target.db);
    expect(rows[0]!.wrong).toBe(0);
  });

  it('the stored counts of password hashes match the imported hashes', async () => {
    const { rows } = await sql<{
      kept: number;
      there: number;
    }>`select coalesce(kept.count, 0) as kept, there.count as there
      from (select head, sum(delta)::int as count from password_counts group by head) as kept
      full join (select password_head(password_hash) as head, count(*)::int as count from users
        where password_hash is not null group by 1) as there using (head)`.execute(target.db);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ kept }) => kept)).toEqual(rows.map(({ there }) => there));
  });

  it('a repeated import does nothing, whatever has changed since', async () => {
    const again = await scratch();
    await again.deleteFrom('milestones').execute();
    expect(await importFrom(moved.folder, again)).toBe('already');
    expect(await again.selectFrom('milestones').selectAll().execute()).toEqual([]);
  });

  it('an imported service can be exported and imported again', async () => {
    const onward = await exportInto(place.folder, target.db, { keyrings: NEW });
    const third = await databases.create();
    await importFrom(onward.folder, third.db, { keyrings: OLD });
    expect(await fingerprints(third.db)).toEqual(await fingerprints(target.db));
  });

  it('an export contains one snapshot, whatever is written during the export', async () => {
    const { db } = app.deps;
    const blocker = await db.startTransaction().execute();
    await sql`lock table memberships in access exclusive mode`.execute(blocker);
    const before = await db.selectFrom('users').select('id').execute();
    const exporting = exportInto(place.folder, db);
    await untilBlocked(app, 1);
    // By now the users of the export are written.
    const [id, organization_id] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b'];
    await sql`insert into organizations values (${organization_id}, 'Late', 'late', now())`.execute(blocker);
    await sql`insert into users (id, email, status, created_at, updated_at)
      values (${id}, 'late@example.com', 'active', now(), now())`.execute(blocker);
    await sql`insert into memberships values (${organization_id}, ${id}, 'owner', now())`.execute(blocker);
    await blocker.commit().execute();
    await registerUser(app);

    const { folder } = await exporting;
    const copy = await databases.create();
    expect(await importFrom(folder, copy.db)).toBe('loaded');
    expect(await copy.db.selectFrom('users').select('id').orderBy('id').execute()).toEqual(
      before.sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });
});

async function scratch() {
  const copy = await databases.create();
  await importFrom(moved.folder, copy.db);
  return copy.db;
}

describe('the passphrase', () => {
  it('a wrong passphrase is rejected; the same characters in another Unicode form are accepted', async () => {
    const unverified = await readManifest(moved.folder, SCHEMA);
    await expect(keyFor(unverified, `${PASSPHRASE} `)).rejects.toThrow('The passphrase is wrong');
    const accented = await exportInto(place.folder, app.deps.db, {
      passphrase: 'Zoë und noch ein Wort'.normalize('NFD'),
    });
    await keyFor(await readManifest(accented.folder, SCHEMA), 'Zoë und noch ein Wort'.normalize('NFC'));
  });
});
