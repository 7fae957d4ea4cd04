import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from './database-fixture.ts';
import { actualLocks, listTableStates, predictedLocks } from './locks-fixture.ts';
import { type Indexes, readMigration } from './read-migration.ts';
import { HISTORY } from './schema-fixture.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase();
  client = await database.connect();
  await client.query(`insert into milestones values ('one', now())`);
  await client.query(`alter table milestones add constraint unproven check (name <> '') not valid`);
});
afterAll(() => database.close());

/** Runs the statement and rolls it back. */
async function tried(text: string) {
  await client.query('begin');
  try {
    const before = await listTableStates(client);
    await client.query(text);
    const locks = await actualLocks(client, before);
    const changed = (await listTableStates(client)).flatMap((after) => {
      const was = before.find(({ oid }) => oid === after.oid);
      return was ? [{ name: was.name, rewritten: was.file !== after.file, read: after.scans > was.scans }] : [];
    });
    const namesOf = (which: 'rewritten' | 'read') => [
      ...new Set(changed.filter((table) => table[which]).map(({ name }) => name)),
    ];
    return { locks, rewritten: namesOf('rewritten'), read: namesOf('read') };
  } finally {
    await client.query('rollback');
  }
}

const indexesOfAll = (): Indexes => {
  const indexes: Indexes = new Map();
  for (const migration of HISTORY.migrations) readMigration(migration, indexes, HISTORY.kept);
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
    'create index i on events (outcome)',
    'drop index users_list_idx',
    'drop index users_list_idx, mails_dead_idx',
    'drop table milestones',
    'drop trigger users_count_insert on users',
    'create table t (a uuid references users, b uuid references sessions on delete cascade)',
    "create table events_204001 partition of events for values from ('2040-01-01Z') to ('2040-02-01Z')",
    'create trigger t before insert on milestones for each row execute function refuse_change()',
    "insert into milestones values ('x', now())",
    'insert into milestones select id::text, created_at from users',
    'update milestones set reached_at = now()',
    'delete from milestones',
    'select from milestones for update',
  ])('predicted locks match those that PostgreSQL takes for: %s', async (text) => {
    const steps = readMigration({ version: 0, name: '', sql: text }, indexesOfAll(), HISTORY.kept);
    expect(steps).toMatchObject([{ unreadable: false }]);
    const { locks, rewritten, read } = await tried(text);
    expect(predictedLocks(steps)).toEqual(locks);
    if (!/^(alter|create|drop)/.test(text)) return;
    const working = (kind: string) => steps[0]!.effects.filter(({ work }) => work === kind).map(({ table }) => table);
    expect(working('writes')).toEqual(rewritten);
    expect(working('reads')).toEqual(read.filter((name) => !rewritten.includes(name)));
  });
});
