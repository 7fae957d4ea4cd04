import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { Db } from '../packages/server/src/platform/db/connect.ts';
import { insertAccounts } from './accounts.ts';

const CALLBACK = 'https://client.example.com/callback';
const VERIFIER = 'a-verifier-of-the-bench-0123456789-abcdefghijklmnop';
const SCOPES = ['email', 'offline_access', 'openid'];
/** Enough rows for PostgreSQL to use its indexes, as in production. */
const USERS = 2_000;
const GRANTS = 20_000;

const hash = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Ids of sessions and grants are UUID v7: sweeps read the age of these rows from the id, and would delete some rows
 * with random ids.
 */
export async function insertApplication(db: Db) {
  const [application_id, client_id, secret] = [uuid(), 'app_bench', 'a secret of the bench, 0123456789'];
  await sql`insert into applications (id, client_id, name, kind, redirect_uris, post_logout_redirect_uris, scopes,
      resources, trusted, device_flow, enabled, created_at)
    values (${application_id}::uuid, ${client_id}, 'Bench', 'web', ${[CALLBACK]}::text[], '{}', ${SCOPES}::text[], '{}',
      true, false, true, now())`.execute(db);
  await sql`insert into application_secrets (id, application_id, hash, created_at)
    values (${uuid()}::uuid, ${application_id}::uuid, ${hash(secret)}::bytea, now())`.execute(db);
  const accounts = await insertAccounts(db, USERS);
  await sql`insert into sessions (id, user_id, organization_id, auth_method, aal, auth_time, created_at, last_used_at,
      expires_at, access_expires_at)
    select id, user_id, organization_id, 'password', 'aal1', now(), now(), now(),
      now() + interval '1 day', now() + interval '1 day'
    from unnest(${accounts.map(() => uuid())}::uuid[], ${accounts.map(({ user_id }) => user_id)}::uuid[],
      ${accounts.map(({ organization_id }) => organization_id)}::uuid[]) as made (id, user_id, organization_id)`.execute(
    db,
  );

  async function writeCodes(count: number): Promise<string[]> {
    const codes = Array.from({ length: count }, () => randomBytes(32).toString('base64url'));
    const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
    await sql`insert into application_grants (id, application_id, user_id, organization_id, session_id, scopes, offline,
        aal, auth_time, redirect_uri, code_challenge, code_hash, code_expires_at, created_at, expires_at)
      select made.id, ${application_id}::uuid, s.user_id, s.organization_id, s.id, ${SCOPES}::text[], true,
        'aal1', s.auth_time, ${CALLBACK}, ${challenge}, code_hash, now() + interval '1 hour', now(),
        now() + interval '30 days'
      from unnest(${codes.map(() => uuid())}::uuid[], ${codes.map(hash)}::bytea[])
        with ordinality as made (id, code_hash, n)
      join (select *, row_number() over () as n from sessions) s on s.n = 1 + made.n % ${USERS}::int`.execute(db);
    return codes;
  }
  await writeCodes(GRANTS);
  // Run once: after `analyze`, each connection must plan its prepared statements again.
  await sql`vacuum analyze`.execute(db);
  return { client_id, secret, exchange: { code_verifier: VERIFIER, redirect_uri: CALLBACK }, writeCodes };
}
