import { describe, expect, it } from 'vitest';
import { faultsOf } from './expand-rule.ts';
import type { Migration } from './migration.ts';
import { HISTORY } from './schema-fixture.ts';

const [first] = HISTORY.releases;
const faultsNow = (migration: Migration) => faultsOf(migration, HISTORY);
const next = (sql: string, more: Pick<Migration, 'contracts'> = {}): Migration => ({
  version: 1000,
  name: 'next',
  sql,
  ...more,
});

describe('expand: allowed while the previous version runs', () => {
  it.each([
    'create table t (id uuid primary key, user_id uuid not null references users, n int not null check (n > 0))',
    'create table t (id uuid primary key, session_id uuid references sessions on delete cascade)',
    'create table t (id int, at timestamptz) partition by range (at)',
    'alter table users add column nickname text',
    "alter table users add column nickname text not null default 'none'",
    'alter table users add column seen_at timestamptz not null default now(), add column n bigint default -1 not null',
    'alter table users add column last_session uuid references sessions on delete set null',
    "alter table users add column a jsonb not null default '{}'::jsonb",
    'alter table users add column nickname text; update users set nickname = coalesce(display_name, email)',
    'alter table users alter column display_name set default now()',
    'alter table users alter column email drop not null',
    'alter table users set (fillfactor = 70)',
    'alter table users validate constraint anything',
    'create function f() returns trigger language plpgsql as $$ begin drop table users; end $$',
    'create trigger t after insert on users for each row execute function f()',
    'create extension if not exists pg_trgm',
    "insert into milestones values ('x', now())",
    // Objects that the same migration creates are not in use yet.
    'create table t (a int); create unique index i on t (a); alter table t add check (a > 0), alter a set not null; delete from t; drop table t',
    // Words in values, names and comments are not part of the statement.
    "alter table users add column a text default 'x; drop table users; --'",
    "alter table users add column a text default E'it\\'s; drop table users'",
    'alter table users /* drop column email; /* nested */ */ add column a text -- drop table users',
    'alter table users add column "drop" text',
  ])('allowed while the previous version runs: %s', (sql) => expect(faultsNow(next(sql))).toEqual([]));

  it('allowed while the previous version runs: a concurrent index', () => {
    expect(faultsNow({ version: 1000, name: 'next', indexes: [{ name: 'i', on: 'users (email)' }] })).toEqual([]);
  });
});

describe('expand: not allowed', () => {
  it.each([
    ['alter table users drop column email', 'what the previous version uses'],
    ['ALTER TABLE users DROP email', 'what the previous version uses'],
    ['alter table only users drop email cascade', 'what the previous version uses'],
    ['alter table users add column a text, drop column email', 'what the previous version uses'],
    ['alter table users /* add column a */ drop\n-- nothing\ncolumn email', 'what the previous version uses'],
    ['create table t (a int); drop table users', 'what the previous version uses'],
    ['drop table t, users cascade', 'what the previous version uses'],
    ['drop index users_email_key', 'what the previous version uses'],
    ['drop trigger users_count_insert on users', 'what the previous version uses'],
    ['drop function count_users()', 'what the previous version uses'],
    [
      'create or replace function count_users() returns trigger language plpgsql as $$ begin end $$',
      'removes or changes',
    ],
    ['alter table users rename to people', 'renames'],
    ['alter table users rename email to mail', 'renames'],
    ['alter table users rename column email to mail', 'renames'],
    ['alter table users rename constraint a to b', 'renames'],
    ['alter table users alter column email type citext', 'the old type'],
    ['alter table users alter email set data type varchar(10)', 'the old type'],
    ['alter table users alter email set not null', 'may leave it out'],
    ['alter table mails alter attempts drop default', 'rely on its default'],
    ['alter table users add column a text not null', 'has no default'],
    ['alter table users add a text not null', 'has no default'],
    ['alter table users add column a text default null not null', 'has no default'],
    ['alter table users add column a int not null default 1, add column b int not null', 'users.b is not null'],
    ["alter table users add column a text not null check (a <> 'default x')", 'reads the whole table'],
    ['alter table users add column a int check (a > 0)', 'reads the whole table'],
    ['alter table users add column a int unique', 'reads the whole table'],
    ['alter table users add column a bigserial', 'writes the whole table'],
    ['alter table users add column a uuid not null default gen_random_uuid()', 'writes the whole table'],
    ['alter table users add column a text generated always as (lower(email)) stored', 'writes the whole table'],
    ['alter table users add column a bigint generated by default as identity', 'writes the whole table'],
    ['alter table users add constraint c check (email is not null) not valid', 'a new constraint'],
    ['alter table users add unique (display_name)', 'a new constraint'],
    ['alter table users add primary key (email)', 'a new constraint'],
    ['alter table users add constraint f foreign key (id) references sessions on delete cascade', 'a new constraint'],
    ['create table t (session_id uuid references sessions)', 'could not delete rows of sessions'],
    ['create table t (a uuid references users, foreign key (a) references public.mails)', 'rows of mails'],
    ['alter table users add column a uuid references avatars on delete restrict', 'could not delete rows of avatars'],
    ['create index i on users (email)', 'use `indexes`'],
    ['create unique index i on users (email)', 'use `indexes`'],
    ['create index concurrently i on users (email)', 'use `indexes`'],
    ['update users set email = lower(email)', 'changes rows'],
    ['alter table users add column a text; update users set a = email, email = lower(email)', 'changes rows'],
    [
      'alter table users add column a text; update users set a = substr(b from 1), email = null where id = id',
      'changes rows',
    ],
    ['alter table users add column a text; update users set (a, email) = (email, null)', 'changes rows'],
    ['delete from sessions', 'deletes or changes rows'],
    [
      "insert into milestones values ('x', now()) on conflict (name) do update set name = 'y'",
      'deletes or changes rows',
    ],
  ])('not allowed while the previous version runs: %s', (sql, reason) =>
    expect(faultsNow(next(sql)).join()).toContain(reason),
  );

  it('not allowed while the previous version runs: a unique index', () => {
    const indexes = [{ name: 'i', on: 'users (display_name)', unique: true }];
    expect(faultsNow({ version: 1000, name: 'next', indexes })).toEqual([expect.stringContaining('forbids')]);
  });

  it.each([
    'do $$ begin drop table users; end $$',
    'select drop_everything()',
    'truncate users',
    'with gone as (delete from users returning id) insert into milestones select id::text, now() from gone',
    'create table if not exists users (a int); alter table users alter a drop not null',
    'create table other.users (a int); alter table users alter a drop not null',
    'alter table public.users alter email drop not null',
    'alter table users add column if not exists email text',
    'create table t (a int) inherits (users)',
    'create table t (a) as select f()',
    'create temporary table users (a int)',
    'drop index an_index_nobody_knows',
    'alter table users disable trigger all',
    'alter table users owner to somebody',
    'alter table users enable row level security',
    'alter index users_email_key rename to other',
    'alter type t rename to u',
    'revoke all on users from public',
    'set search_path = other',
    'commit',
    'update users as u set a = 1',
    'merge into users using t on true when matched then delete',
  ])('rejects what it cannot parse, even if declared as a contraction: %s', (sql) => {
    expect(faultsNow(next(sql)).join()).toContain('cannot be read');
    const contracts = { since: first!.version, what: 'something' };
    expect(faultsNow(next(sql, { contracts })).join()).toContain('cannot be read');
  });

  it.each(["select 'open", 'select "open', 'select /* /* */ open', 'create table t (a int'])(
    'rejects text that is not SQL: %s',
    (sql) => expect(() => faultsNow(next(sql))).toThrow(/not closed/),
  );
});

describe('contract: a removal must have been unused since an earlier release', () => {
  const sql = 'alter table users drop column nickname';
  const releases = [...HISTORY.releases, { version: '0.2.0', schema: 900 }, { version: '0.3.0', schema: 1000 }];
  const faults = (since: string, what = 'users.nickname') =>
    faultsOf(next(sql, { contracts: { since, what } }), { ...HISTORY, releases });

  it('accepts the removal of a column that has been unused since an earlier published release', () =>
    expect(faults('0.2.0')).toEqual([]));

  it('rejects a removal that names an unknown release or the current one as the first without use, or has no description', () => {
    expect(faults('0.4.0')).toEqual(['there is no release 0.4.0, which should have stopped using it']);
    expect(faults('0.3.0')).toEqual(['release 0.3.0 contains this migration itself']);
    expect(faults('0.2.0', ' ')).toEqual(['it does not say what it removes']);
  });
});
