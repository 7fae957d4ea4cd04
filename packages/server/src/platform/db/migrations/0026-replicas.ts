/** Which processes serve the database, and which keys were made because a secret could open none. */
export const replicas = {
  version: 26,
  name: 'replicas',
  sql: `
create table replicas (
  id uuid primary key,
  kid text not null,
  seen_at timestamptz not null
);
alter table signing_keys add column replaces_sealed boolean not null default false;
alter table application_keys add column replaces_sealed boolean not null default false;
`,
};
