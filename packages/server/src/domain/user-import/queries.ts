import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/connect.ts';
import type { AuditInsert } from '../audit/queries.ts';
import type { NewUser } from './validate.ts';

export const findOrganizationBySlug = (db: Db, slug: string) =>
  db
    .selectFrom('organizations')
    .select(['id', 'name', 'slug', 'suspended_at'])
    .where('slug', '=', slug)
    .executeTakeFirst();

/** The status is a literal, not a parameter: otherwise the planner cannot use the partial index on emails. */
export async function listTakenEmails(db: Db, emails: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ email: string }>`
    select email from users where email = any (${emails}::text[]) and status <> 'deleted'`.execute(db);
  return new Set(rows.map(({ email }) => email));
}

export async function listTakenSlugs(db: Db, slugs: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ slug: string }>`
    select slug from organizations where slug = any (${slugs}::text[])`.execute(db);
  return new Set(rows.map(({ slug }) => slug));
}

interface Subject {
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
}

export async function listTakenSubjects(db: Db, subjects: readonly Subject[]): Promise<Subject[]> {
  const { rows } = await sql<Subject>`
    select i.provider, i.issuer, i.subject from identities i
    join jsonb_to_recordset(${JSON.stringify(subjects)}::jsonb) as g (provider text, issuer text, subject text)
      on i.provider = g.provider and i.issuer = g.issuer and i.subject = g.subject`.execute(db);
  return rows;
}

export interface ImportTarget {
  readonly organization_id: string;
  readonly role: 'owner' | 'admin' | 'member';
  /** For the organization to create for this user; null if an existing one is used. */
  readonly organization_name: string | null;
  readonly organization_slug: string | null;
}

export interface Batch {
  readonly now: Date;
  readonly users: readonly (Omit<NewUser, 'identities'> & ImportTarget)[];
  readonly identities: readonly { id: string; user_id: string; provider: string; issuer: string; subject: string }[];
  /** One row per user, who is the resource of the row. */
  readonly audit: readonly AuditInsert[];
}

export interface Inserted {
  readonly users: readonly string[];
  readonly identities: readonly string[];
}

/**
 * Inserts users with their organizations, memberships, identities and audit rows in one statement. A user whose email
 * is taken is skipped with everything that belongs to it; a taken slug violates a constraint.
 */
export async function insertForeignUsers(tx: Tx, { now, users, identities, audit }: Batch): Promise<Inserted> {
  const { rows } = await sql<Inserted>`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(users)}::jsonb) as g (id uuid, email text, email_verified_at timestamptz,
        display_name text, locale text, status text, created_at timestamptz, password_hash text,
        last_password_change_at timestamptz, organization_id uuid, organization_name text, organization_slug text, role text)
    ),
    inserted_user as (
      insert into users (id, email, email_verified_at, display_name, locale, status, created_at, updated_at, password_hash,
        last_password_change_at, last_organization_id)
      select id, email, email_verified_at, display_name, locale, status, created_at, ${now}::timestamptz, password_hash,
        last_password_change_at, organization_id from given
      on conflict (email) where status <> 'deleted' do nothing
      returning id
    ),
    new_user as materialized (select given.* from given join inserted_user on inserted_user.id = given.id),
    new_organization as (
      insert into organizations (id, name, slug, created_at)
      select organization_id, organization_name, organization_slug, ${now}::timestamptz from new_user
      where organization_name is not null
    ),
    new_membership as (
      insert into memberships (organization_id, user_id, role, joined_at)
      select organization_id, id, role, ${now}::timestamptz from new_user
    ),
    linked as (
      insert into identities (id, user_id, provider, issuer, subject, linked_at)
      select i.id, i.user_id, i.provider, i.issuer, i.subject, ${now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(identities)}::jsonb)
        as i (id uuid, user_id uuid, provider text, issuer text, subject text)
      join new_user on new_user.id = i.user_id
      on conflict (provider, issuer, subject) do nothing
      returning id
    ),
    audit_rows as (
      insert into audit_events (event_id, "timestamp", organization_id, actor_id, actor_type, action, resource_type,
        resource_id, ip_address, user_agent, request_id, metadata, outcome, visibility)
      select a.event_id, a.timestamp, a.organization_id, a.actor_id, a.actor_type, a.action, a.resource_type,
        a.resource_id, a.ip_address, a.user_agent, a.request_id, a.metadata::jsonb, a.outcome,
        a.visibility
      from jsonb_to_recordset(${JSON.stringify(audit)}::jsonb) as a (event_id uuid, "timestamp" timestamptz,
        organization_id uuid, actor_id uuid, actor_type text, action text, resource_type text, resource_id text,
        ip_address text, user_agent text, request_id uuid, metadata text, outcome text,
        visibility text)
      join new_user on new_user.id::text = a.resource_id
    )
    select array(select id::text from new_user) as users, array(select id::text from linked) as identities`.execute(tx);
  return rows[0]!;
}
