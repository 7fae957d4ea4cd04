import { sql } from 'kysely';
import type { Db } from '../packages/server/src/platform/db/connect.ts';
import { hashPassword, PASSWORD } from './limits.ts';
import type { Service } from './service.ts';

let registrations = 0;

export const newRegistration = (): string => {
  registrations++;
  return JSON.stringify({
    email: `newcomer-${registrations}@example.com`,
    password: PASSWORD,
    organization_name: `Newcomer ${registrations}`,
  });
};

interface SignedIn {
  readonly email: string;
  readonly organization_id: string;
  readonly access_token: string;
  /** The refresh cookie as a `Cookie` header contains it: `service_rt=…`. */
  readonly refresh_cookie: string;
}

export const register = ({ url }: Pick<Service, 'url'>, count: number): Promise<SignedIn[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const answer = await fetch(`${url}/v1/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: newRegistration(),
      });
      if (!answer.ok) throw new Error(`the registration was answered ${answer.status}`);
      const { access_token, user } = (await answer.json()) as {
        access_token: string;
        user: Pick<SignedIn, 'email' | 'organization_id'>;
      };
      return {
        email: user.email,
        organization_id: user.organization_id,
        access_token,
        refresh_cookie: refreshCookie(answer.headers.getSetCookie().join('\n'))!,
      };
    }),
  );

export const refreshCookie = (head: string): string | undefined => /service_rt=[^;]+/.exec(head)?.[0];

export interface Account {
  readonly user_id: string;
  readonly organization_id: string;
  readonly email: string;
}

/** Inserts accounts, each the owner of an organization, as after a registration; all with the same password. */
export async function insertAccounts(db: Db, count: number): Promise<readonly Account[]> {
  const password_hash = await hashPassword();
  const { rows } = await sql<Account>`
    with new_accounts as materialized (
      select n, gen_random_uuid() as user_id, gen_random_uuid() as organization_id, 'person-' || n || '@example.com' as email
      from generate_series(1, ${count}::int) n
    ),
    inserted_organizations as (
      insert into organizations (id, name, slug, created_at)
      select organization_id, 'Organization ' || n, 'bench-' || n, now() from new_accounts
    ),
    inserted_users as (
      insert into users (id, email, status, password_hash, last_organization_id, created_at, updated_at)
      select user_id, email, 'active', ${password_hash}::text, organization_id, now(), now() from new_accounts
    ),
    inserted_memberships as (
      insert into memberships (organization_id, user_id, role, joined_at)
      select organization_id, user_id, 'owner', now() from new_accounts
    )
    select user_id, organization_id, email from new_accounts`.execute(db);
  for (const table of ['organizations', 'users', 'memberships'])
    await sql`vacuum analyze ${sql.table(table)}`.execute(db);
  return rows;
}
