import { cpSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import type { Db } from '../../platform/db/connect.ts';
import { OLD_KEY } from '../provider-settings/rows-fixture.ts';
import { TransferFailure } from './failure.ts';
import type { Manifest } from './manifest.ts';
import { emptyDatabases, exportInto, importFrom, importWhole } from './move-fixture.ts';
import { fillService, fingerprints, newFolder } from './service-fixture.ts';
import type { Follow } from './write-export.ts';

const place = newFolder();
const databases = emptyDatabases();
const app = useTestApp({ environment: { CONFIG_ENCRYPTION_KEY: OLD_KEY } });
let folder: string;
let manifest: Manifest;
let prints: Record<string, string>;
beforeAll(async () => {
  await fillService(app);
  ({ folder, manifest } = await exportInto(place.folder, app.deps.db));
  prints = await fingerprints(app.deps.db);
});
afterAll(async () => {
  await databases.close();
  place.remove();
});

const SMALL = { rows: 4, bytes: 1e6 };
const batches = () => manifest.files.reduce((sum, { rows }) => sum + Math.ceil(rows / SMALL.rows), 0);

function stopAfter(count: number) {
  const stop = new AbortController();
  let left = count;
  const follow: Follow = (label) => {
    // The first call of `add` reports what an earlier run has loaded.
    let loading = false;
    const add = () => {
      if (label !== 'checking' && loading && --left === 0) stop.abort(new Error('stopped'));
      loading = true;
    };
    return { add, done: () => {} };
  };
  return { follow, signal: stop.signal, batch: SMALL };
}

/** Makes the database execute this statement as soon as organizations are loaded, as if another process wrote. */
const meanwhile = async (db: Db, statement: string) => {
  await sql
    .raw(`create function meanwhile() returns trigger language plpgsql as $$ begin ${statement}; return null; end $$;
    create trigger meanwhile after insert on organizations for each statement execute function meanwhile()`)
    .execute(db);
};

describe('an interrupted import', () => {
  it('continues after any batch, and ends with the same rows', async () => {
    const { db } = await databases.create();
    let runs = 0;
    for (let outcome: string | undefined; outcome !== 'went_on'; runs++) {
      outcome = await importFrom(folder, db, stopAfter(1)).catch((error) => {
        expect(error.message).toBe('stopped');
        return undefined;
      });
      expect(runs).toBeLessThan(200);
    }
    expect(runs).toBe(batches());
    expect(await fingerprints(db)).toEqual(prints);
  });

  it('an import stores rows and progress together: a batch that fails leaves neither', async () => {
    const { db } = await databases.create();
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`.execute(
      db,
    );
    await sql`create trigger refuse before insert on memberships for each row execute function refuse()`.execute(db);
    await expect(importFrom(folder, db)).rejects.toThrow('no room');
    const lines = await db.selectFrom('imports').select('lines').where('file', '=', 'memberships.ndjson').execute();
    expect(lines).toEqual([{ lines: 0 }]);
    await sql`drop trigger refuse on memberships`.execute(db);
    expect(await importFrom(folder, db)).toBe('went_on');
    expect(await fingerprints(db)).toEqual(prints);
  });

  it('does not continue if the database was changed in the meantime', async () => {
    const { db } = await databases.create();
    await expect(importFrom(folder, db, stopAfter(4))).rejects.toThrow('stopped');
    await sql`insert into users (id, email, status, created_at, updated_at)
      values (gen_random_uuid(), 'late@example.com', 'active', now(), now())`.execute(db);
    await expect(importFrom(folder, db)).rejects.toThrow('Another process has changed users');
  });

  it('a continued import ignores audit rows that a service has written in the meantime', async () => {
    const { db } = await databases.create();
    const start = `insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id,
      metadata, outcome) values (gen_random_uuid(), now(), '00000000-0000-0000-0000-000000000000', 'system', 'x', 'x', 'x', '{}', 'x')`;
    await expect(importFrom(folder, db, stopAfter(batches() - 1))).rejects.toThrow('stopped');
    await sql.raw(start).execute(db);
    expect(await importWhole(folder, db)).toEqual({ state: 'went_on', own_events: 1 });
  });

  it('an import runs ANALYZE before it is marked as finished', async () => {
    const { db } = await databases.create();
    await sql
      .raw(`create function unplanned() returns trigger language plpgsql as $$ begin
        if (select reltuples from pg_class where oid = 'users'::regclass) <= 0 then raise exception 'not analyzed'; end if;
        return new; end $$;
      create trigger unplanned before update of finished_at on imports for each row execute function unplanned()`)
      .execute(db);
    expect(await importFrom(folder, db)).toBe('loaded');
  });

  it('an import detects at its end that something else was written while it ran', async () => {
    const { db } = await databases.create();
    await meanwhile(db, `insert into milestones values ('strange', now())`);
    await expect(importFrom(folder, db)).rejects.toThrow('There are 2 rows in milestones now, but 1 in the export');
  });

  it('cannot be exported before it is complete', async () => {
    const { db } = await databases.create();
    await expect(importFrom(folder, db, stopAfter(2))).rejects.toThrow('stopped');
    await expect(exportInto(place.folder, db)).rejects.toThrow('was interrupted');
    await importFrom(folder, db);
    await exportInto(place.folder, db);
  });
});

describe('a file that changes between its check and its use', () => {
  const FILE = 'users.ndjson';
  const copyOf = () => {
    const copy = mkdtempSync(join(place.folder, 'copy-'));
    cpSync(folder, copy, { recursive: true });
    return copy;
  };
  /** The same size, so that only the content differs. */
  const forged = (path: string) => readFileSync(path, 'utf8').replaceAll('@example.', '@exomple.');
  const changes: [string, (path: string) => void][] = [
    ['replaced by another file', (path) => replace(path, forged(path))],
    ['written to in place', (path) => writeFileSync(path, forged(path))],
    ['cut short', (path) => writeFileSync(path, readFileSync(path).subarray(0, -10))],
    ['continued by another line', (path) => writeFileSync(path, `${readFileSync(path, 'utf8')}{}\n`)],
    ['emptied', (path) => writeFileSync(path, '')],
  ];
  const replace = (path: string, text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  /** Calls back when all files are checked, before this run loads anything. */
  const afterCheck =
    (change: () => void): Follow =>
    (label) => ({ add: () => {}, done: () => label === 'checking' && change() });
  const changedMessage = `${FILE} was changed after it was checked`;

  it.each(changes)(
    '%s: nothing of the changed file is loaded, and the import continues with the right file',
    async (_how, change) => {
      const { db } = await databases.create();
      const copy = copyOf();
      const path = join(copy, FILE);
      const original = readFileSync(path);
      const error = await importFrom(copy, db, { follow: afterCheck(() => change(path)) }).catch((failure) => failure);
      expect(error).toBeInstanceOf(TransferFailure);
      expect(error.message).toContain(changedMessage);
      expect(await db.selectFrom('users').select('id').execute()).toEqual([]);
      await expect(importFrom(copy, db)).rejects.toThrow(`${FILE} was changed`);
      writeFileSync(path, original);
      expect(await importFrom(copy, db)).toBe('went_on');
      expect(await fingerprints(db)).toEqual(prints);
    },
  );

  it('a file that changes after its check is also detected by the run that continues an import', async () => {
    const { db } = await databases.create();
    const copy = copyOf();
    const path = join(copy, FILE);
    const untilUsers = manifest.files.findIndex(({ file }) => file === FILE);
    const before = manifest.files.slice(0, untilUsers).reduce((sum, { rows }) => sum + Math.ceil(rows / 2), 0);
    const stopped = { ...stopAfter(before + 1), batch: { rows: 2, bytes: 1e6 } };
    await expect(importFrom(copy, db, stopped)).rejects.toThrow('stopped');
    expect(await db.selectFrom('users').select('id').execute()).toHaveLength(2);
    const follow = afterCheck(() => replace(path, forged(path)));
    await expect(importFrom(copy, db, { follow })).rejects.toThrow(changedMessage);
    const emails = (await db.selectFrom('users').select('email').execute()).map(({ email }) => email);
    expect(emails).toEqual([expect.stringContaining('@example.'), expect.stringContaining('@example.')]);
    replace(path, readFileSync(join(folder, FILE), 'utf8'));
    expect(await importFrom(copy, db)).toBe('went_on');
    expect(await fingerprints(db)).toEqual(prints);
  });
});

describe('two concurrent imports', () => {
  it('of two concurrent imports the second one is rejected, and the first one continues', async () => {
    const { db } = await databases.create();
    const blocker = await db.startTransaction().execute();
    await sql`lock table passkeys in exclusive mode`.execute(blocker);
    const first = importFrom(folder, db);
    await expect.poll(async () => (await countLoaded(db)) > 0).toBe(true);
    await expect(importFrom(folder, db)).rejects.toThrow('Another import into this database is running');
    await blocker.rollback().execute();
    expect(await first).toBe('loaded');
    expect(await fingerprints(db)).toEqual(prints);
  });

  it('load each line once, even without the lock', async () => {
    const { db } = await databases.create();
    await meanwhile(db, `update imports set lines = 1 where file = 'users.ndjson'`);
    await expect(importFrom(folder, db)).rejects.toThrow('Another import');
    expect(await db.selectFrom('users').select('id').execute()).toEqual([]);
  });
});

describe('the connection of the import lock', () => {
  it('if the connection of the import lock is lost, the import stops with a message, and continues when run again', async () => {
    const { db } = await databases.create();
    const blocker = await db.startTransaction().execute();
    await sql`lock table memberships in exclusive mode`.execute(blocker);
    const first = importFrom(folder, db).catch((error) => error);
    await expect.poll(async () => (await countLoaded(db)) > 0).toBe(true);
    const ended = await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
    expect(ended.rows).toHaveLength(1);
    await blocker.rollback().execute();
    const error = await first;
    expect(error).toBeInstanceOf(TransferFailure);
    expect(error.message).toContain('The connection to the database was lost. To continue, run the same command again');
    expect(await db.selectFrom('audit_events').select('id').execute()).toEqual([]);
    expect(await importFrom(folder, db)).toBe('went_on');
    expect(await fingerprints(db)).toEqual(prints);
  });
});

async function countLoaded(db: Db): Promise<number> {
  const rows = await db.selectFrom('imports').select('lines').where('file', '=', 'organizations.ndjson').execute();
  return rows[0]?.lines ?? 0;
}
