import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, useTestDatabase } from '../../../../test/database.ts';
import type { Tx } from '../connect.ts';
import { MIGRATIONS } from '../migrations/list.ts';
import { type Effect, LOCKS, type Lock } from './effects.ts';
import { type Indexes, readMigration, type Step } from './read-migration.ts';

type Locks = Record<string, Lock>;

const strongest = (a: Lock | undefined, b: Lock): Lock =>
  a !== undefined && LOCKS.indexOf(a) > LOCKS.indexOf(b) ? a : b;

function predicted(steps: readonly Step[]): Locks {
  const locks: Locks = {};
  for (const { table, lock } of steps.flatMap((step): readonly Effect[] => step.effects)) {
    locks[table] = strongest(locks[table], lock);
  }
  return locks;
}

interface TableState {
  readonly oid: number;
  /** The name of the table; for a partition, that of its root table. */
  readonly name: string;
  readonly file: number;
  readonly scans: number;
}

const statesOf = async (tx: Tx): Promise<TableState[]> => {
  const { rows } =
    await sql<TableState>`select part.oid, whole.relname as name, pg_stat_get_xact_numscans(part.oid) as scans,
      coalesce(pg_relation_filenode(part.oid), 0)::bigint as file
    from pg_class part join pg_class whole on whole.oid = coalesce(pg_partition_root(part.oid), part.oid)
    where part.relkind in ('r', 'p') and part.relnamespace = quote_ident(current_schema())::regnamespace`.execute(tx);
  return rows;
};

async function actual(tx: Tx, before: readonly TableState[]): Promise<Locks> {
  const { rows } = await sql<{ oid: number; mode: string }>`select relation as oid, mode from pg_locks
    where locktype = 'relation' and pid = pg_backend_pid() and granted`.execute(tx);
  const locks: Locks = {};
  for (const { oid, mode } of rows) {
    const name = before.find((table) => table.oid === oid)?.name;
    const lock = mode
      .replace(/Lock$/, '')
      .replace(/(?!^)(?=[A-Z])/g, ' ')
      .toUpperCase() as Lock;
    if (name !== undefined) locks[name] = strongest(locks[name], lock);
  }
  return locks;
}

const undone = new Error('undone');

const filled = useTestDatabase();
beforeAll(async () => {
  const at = new Date('2030-01-15T12:00:00Z');
  await filled.db.insertInto('milestones').values({ name: 'one', reached_at: at }).execute();
  await filled.db
    .insertInto('oauth_states')
    .values({ id: Buffer.from('one'), expires_at: at })
    .execute();
  await sql`alter table milestones add constraint unproven check (name <> '') not valid`.execute(filled.db);
});

async function tried(text: string) {
  let found: { locks: Locks; rewritten: string[]; read: string[] } | undefined;
  const attempt = filled.db.transaction().execute(async (tx) => {
    const before = await statesOf(tx);
    await sql.raw(text).execute(tx);
    const locks = await actual(tx, before);
    const changed = (await statesOf(tx)).flatMap((after) => {
      const was = before.find(({ oid }) => oid === after.oid);
      return was ? [{ name: was.name, rewritten: was.file !== after.file, read: after.scans > was.scans }] : [];
    });
    const namesOf = (which: 'rewritten' | 'read') => [
      ...new Set(changed.filter((table) => table[which]).map(({ name }) => name)),
    ];
    found = { locks, rewritten: namesOf('rewritten'), read: namesOf('read') };
    throw undone;
  });
  await expect(attempt).rejects.toBe(undone);
  return found!;
}

const indexesOfAll = (): Indexes => {
  const indexes: Indexes = new Map();
  for (const migration of MIGRATIONS) readMigration(migration, indexes);
  return indexes;
};

describe('predicted locks match those of PostgreSQL', () => {
  it.each([
    'alter table milestones add column a text',
    "alter table milestones add column a text not null default 'x', add column b timestamptz default now()",
    'alter table milestones add column a uuid default gen_random_uuid()',
    'alter table milestones add column a bigint generated always as identity',
    'alter table milestones add column a uuid references users',
    'alter table milestones add column a int check (a > 0)',
    'alter table milestones add column a int unique',
    'alter table milestones set (fillfactor = 70)',
    'alter table milestones alter column reached_at drop not null',
    'alter table milestones alter column reached_at set default now()',
    'alter table milestones alter column reached_at drop default',
    'alter table users alter column display_name set not null',
    'alter table milestones alter reached_at type text',
    'alter table milestones rename reached_at to reached',
    'alter table milestones rename to stones',
    'alter table milestones drop reached_at',
    'alter table milestones drop constraint milestones_pkey',
    "alter table milestones add constraint c check (name <> '')",
    "alter table milestones add constraint c check (name <> '') not valid",
    'alter table avatars add constraint f foreign key (user_id) references users',
    'alter table avatars add constraint f foreign key (user_id) references users not valid',
    'alter table milestones validate constraint unproven',
    'create index i on milestones (reached_at)',
    'create unique index i on milestones (reached_at)',
    'create index i on audit_events (outcome)',
    'drop index users_list_idx',
    'drop index users_list_idx, mails_dead_idx',
    'drop table milestones',
    'drop trigger users_count_insert on users',
    'create table t (a uuid references users, b uuid references sessions on delete cascade)',
    "create table audit_events_204001 partition of audit_events for values from ('2040-01-01Z') to ('2040-02-01Z')",
    'create trigger t before insert on milestones for each row execute function refuse_audit_change()',
    "insert into milestones values ('x', now())",
    'insert into milestones select id::text, created_at from users',
    'update milestones set reached_at = now()',
    'delete from milestones',
    'select from milestones for update',
  ])('predicted locks match those that PostgreSQL takes for: %s', async (text) => {
    const steps = readMigration({ version: 0, name: '', sql: text }, indexesOfAll());
    expect(steps).toMatchObject([{ unreadable: false }]);
    const { locks, rewritten, read } = await tried(text);
    expect(predicted(steps)).toEqual(locks);
    if (!/^(alter|create|drop)/.test(text)) return;
    const working = (kind: string) => steps[0]!.effects.filter(({ work }) => work === kind).map(({ table }) => table);
    expect(working('writes')).toEqual(rewritten);
    expect(working('reads')).toEqual(read.filter((name) => !rewritten.includes(name)));
  });

  it('predicted locks match for all migrations, which can all be parsed', async () => {
    const empty = await createTestDatabase({ empty: true });
    const indexes: Indexes = new Map();
    for (const migration of MIGRATIONS) {
      const steps = readMigration(migration, indexes);
      expect(steps.filter(({ unreadable }) => unreadable)).toEqual([]);
      await empty.db.transaction().execute(async (tx) => {
        const before = await statesOf(tx);
        for (const { text } of steps) await sql.raw(text.replace(' concurrently ', ' ')).execute(tx);
        if ('sql' in migration)
          expect({ [migration.name]: predicted(steps) }).toEqual({ [migration.name]: await actual(tx, before) });
      });
    }
    await empty.close();
  });
});
