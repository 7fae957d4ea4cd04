import type { History, Migration } from './migration.ts';

/** The schema that the tests migrate. */
const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'accounts',
    sql: `
      create table users (id uuid primary key, email text not null, display_name text, created_at timestamptz not null);
      create unique index users_email_key on users (email);
      create index users_list_idx on users (created_at);
      create function count_users() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger users_count_insert after insert on users for each row execute function count_users();
      create table sessions (id uuid primary key, user_id uuid not null references users);
      create table avatars (user_id uuid primary key references users);
      create table mails (id uuid primary key, attempts integer not null default 0);
      create table milestones (name text primary key, reached_at timestamptz not null);`,
  },
  {
    version: 2,
    name: 'events',
    sql: `
      create table events (id uuid not null, at timestamptz not null, outcome text not null, resource uuid)
        partition by range (at);
      create table events_rest partition of events default;
      create function refuse_change() returns trigger language plpgsql as $$ begin return null; end $$;`,
  },
  { version: 3, name: 'dead-mails', indexes: [{ name: 'mails_dead_idx', on: 'mails (attempts)' }] },
];

export const HISTORY: History = {
  migrations: MIGRATIONS,
  releases: [{ version: '0.1.0', schema: 2 }],
  kept: ['users'],
};
