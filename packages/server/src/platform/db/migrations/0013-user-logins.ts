/** The order of users by their last sign-in, in a table of its own. */
export const userLogins = {
  version: 13,
  name: 'user-logins',
  sql: `
-- A sign-in changes no indexed column of users. An index on last_login_at there would make each sign-in update all
-- indexes of users, among them the one of the search. Triggers maintain this copy, also for the previous version.
create table user_logins (
  user_id uuid primary key,
  last_login_at timestamptz
);
insert into user_logins select id, last_login_at from users;
-- Users without a sign-in come last in both directions.
create index user_logins_earliest_idx on user_logins (last_login_at, user_id);
create index user_logins_latest_idx on user_logins (last_login_at desc nulls last, user_id desc);
create function copy_last_login() returns trigger language plpgsql as $$
begin
  insert into user_logins (user_id, last_login_at) values (new.id, new.last_login_at)
    on conflict (user_id) do update set last_login_at = excluded.last_login_at;
  return null;
end $$;
create trigger users_login_insert after insert on users for each row execute function copy_last_login();
create trigger users_login_update after update of last_login_at on users
  for each row when (old.last_login_at is distinct from new.last_login_at) execute function copy_last_login();
-- Creating the triggers locks users against writes until the transaction ends. This adds the few sign-ins that were
-- written between the copy above and that lock.
insert into user_logins select u.id, u.last_login_at from users u left join user_logins c on c.user_id = u.id
  where c.user_id is null or coalesce(c.last_login_at, '-infinity') <> coalesce(u.last_login_at, '-infinity')
  on conflict (user_id) do update set last_login_at = excluded.last_login_at;
`,
};
