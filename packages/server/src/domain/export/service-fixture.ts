import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { insertApplicationRows } from '../../../test/application-rows.ts';
import { withPasskey } from '../../../test/authenticator.ts';
import { registerUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { join as joinOrganization, setUser, trustBrowser } from '../../../test/records.ts';
import { enrolNew } from '../../../test/second-factor.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { seal } from '../../platform/crypto/seal.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Db } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { storeHashKey } from '../passwords/hashes/keys.ts';
import { keyringOf, OLD_KEY, rowOf, storeRow } from '../provider-settings/rows-fixture.ts';
import { MOVED } from './tables.ts';

export const PASSPHRASE = 'four words that nobody says';
const INVITATION = 'the token of an invitation';
export const SSO_SECRET = 'the secret of a connection';
const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const HASH_KEY = Buffer.from('a key of another service');

export const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-transfer-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

export async function fillService(app: TestApp) {
  const [plain, app_holder, keyholder] = [await registerUser(app), await enrolNew(app), await withPasskey(app)];
  await joinOrganization(app, plain.user_id, { name: 'A name\u2028of two "lines"\\ and 🦭' });
  await trustBrowser(app, app_holder.user_id);
  await setUser(app, plain.user_id, { display_name: 'Zoë\u2029', status: 'disabled', platform_role: 'owner' });
  await fillByHand(app.deps.db, { ...plain, keyring: app.deps.keyring });
  const times = { now: app.clock.now(), expires_at: app.clock.now() };
  await insertApplicationRows(app.deps.db, plain, times);
  return { plain, app_holder, keyholder };
}

interface Owner {
  readonly user_id: string;
  readonly organization_id: string;
  readonly keyring: Keyring;
}

/** Inserts rows directly, without the endpoints of the service, with times in microseconds. */
async function fillByHand(db: Db, { user_id, organization_id, keyring }: Owner): Promise<void> {
  const at = sql`timestamptz '2031-02-03 04:05:06.789123+00'`;
  await sql`insert into identities (id, user_id, provider, issuer, subject, email, linked_at)
    values (${uuid()}, ${user_id}, 'oauth_a', 'https://accounts.google.com', '108', 'a@example.com', ${at})`.execute(
    db,
  );
  await sql`insert into avatars (id, user_id, image, created_at)
    values (${`avatar-${user_id}`}, ${user_id}, decode('00ff5c0a0d22', 'hex'), ${at})`.execute(db);
  const role_id = uuid();
  await sql`insert into permissions (name, description, created_at) values ('notes.approve', 'Zoë\u2028', ${at}),
    ('notes.read', null, ${at})`.execute(db);
  await sql`insert into roles (id, organization_id, name, slug, permissions, created_at, updated_at, deleted_at) values
    (${role_id}, ${organization_id}, 'A "role"', 'a-role', array['members.invite', 'notes.approve'], ${at}, ${at}, null),
    (${uuid()}, null, 'Global', 'global', '{}', ${at}, ${at}, null),
    (${uuid()}, null, 'Deleted', 'deleted', '{}', ${at}, ${at}, ${at})`.execute(db);
  await sql`insert into member_roles (organization_id, user_id, role_id)
    values (${organization_id}, ${user_id}, ${role_id})`.execute(db);
  const account_id = uuid();
  await sql`insert into service_accounts (id, organization_id, name, created_by, created_at)
    values (${account_id}, ${organization_id}, 'Nightly "import"', ${user_id}, ${at})`.execute(db);
  await sql`insert into service_account_roles values (${account_id}, ${role_id})`.execute(db);
  await sql`insert into api_keys (id, service_account_id, public_id, secret_hash, sid, name, scopes, allowed_ips,
      allowed_referrers, created_at)
    values (${uuid()}, ${account_id}, '0123456789Az', decode('00ff5c', 'hex'), ${uuid()}, 'Key', array['org.read'],
      array['192.0.2.0/24'], '{}', ${at})`.execute(db);
  await sql`insert into invitations (id, organization_id, email, role, inviter_id, inviter_email, token_hash, created_at,
      expires_at, role_ids)
    values (${uuid()}, ${organization_id}, 'invited@example.com', 'member', ${user_id}, 'inviter@example.com',
      ${hashToken(INVITATION)}, ${at}, timestamptz '2051-01-01', array[${role_id}::uuid, ${uuid()}::uuid])`.execute(db);
  await sql`insert into feature_flags (flag_key, organization_id, enabled, value, updated_at) values
    ('__proto__', null, true, '{"__proto__": 1, "big": 12345678901234567890123, "small": 1.10}', ${at}),
    ('__proto__', ${organization_id}, false, null, ${at})`.execute(db);
  const [webhook_id, secret_id] = [uuid(), uuid()];
  await sql`insert into webhooks (id, organization_id, url, description, events, enabled, created_by, created_at) values
    (${webhook_id}, ${organization_id}, 'https://example.com/', 'Zoë', array['member.*'], true, ${user_id}, ${at}),
    (${uuid()}, null, 'https://example.com/', '', array['*'], false, ${user_id}, ${at})`.execute(db);
  const sealed_webhook = seal(keyring, { purpose: 'webhook', row: secret_id }, WEBHOOK_SECRET);
  await sql`insert into webhook_secrets (id, webhook_id, sealed_secret, created_at)
    values (${secret_id}, ${webhook_id}, ${sealed_webhook}, ${at})`.execute(db);
  const connection_id = uuid();
  const sealed_sso = seal(keyringOf(OLD_KEY), { purpose: 'sso', row: connection_id }, SSO_SECRET);
  await sql`insert into sso_connections (id, organization_id, name, issuer, client_id, sealed_secret, create_members,
      default_role, trust_idp_mfa, active, tested_at, last_test, created_at)
    values (${connection_id}, ${organization_id}, 'Zoë', 'https://login.example.com', 'c', ${sealed_sso}, true, 'admin',
      true, true, ${at}, '{"ok": true, "detail": "Zoë", "at": "2031-01-01T00:00:00.000Z"}', ${at})`.execute(db);
  await sql`insert into sso_connection_roles values (${connection_id}, ${role_id})`.execute(db);
  await sql`insert into domains (id, organization_id, domain, token, connection_id, created_at, verified_at)
    values (${uuid()}, ${organization_id}, 'example.com', 't', ${connection_id}, ${at}, ${at})`.execute(db);
  await sql`insert into sso_identities (id, connection_id, user_id, subject, email, linked_at)
    values (${uuid()}, ${connection_id}, ${user_id}, 'subject', 'zoe@example.com', ${at})`.execute(db);
  await sql`insert into milestones (name, reached_at) values ('initial_owner', ${at})`.execute(db);
  await storeRow(db, rowOf('oauth_a', { key: OLD_KEY }));
  await storeRow(db, rowOf('oauth_b', { key: OLD_KEY, sealed_secret: null, enabled: false }));
  await transact(db, (tx) => storeHashKey(tx, { keyring }, HASH_KEY, new Date('2031-01-01T00:00:00Z')));
  await fillTrail(db, 30);
}

export const fillTrail = (db: Db, rows: number) =>
  sql`insert into audit_events (event_id, "timestamp", organization_id, actor_type, action, resource_type, resource_id,
      metadata, outcome)
    select gen_random_uuid(), timestamptz '2019-12-31 23:59:59.999999+00' + n % 4 * interval '17 days', gen_random_uuid(),
      'system', 'auth.login', 'user', n::text, jsonb_build_object('n', n, 'ratio', 0.10), 'failure'
    from generate_series(1, ${rows}::int) as n`.execute(db);

/** A fingerprint of each exported table, without what differs between services. */
export async function fingerprints(db: Db): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  for (const { name, omit = [], sealed } of MOVED) {
    const without = sql.join([...omit, ...(sealed ? [sealed.column] : [])].map((column) => sql`${column}`));
    const row = omit.length > 0 || sealed ? sql`to_jsonb(t) - array[${without}]::text[]` : sql`to_jsonb(t)`;
    const { rows } = await sql<{ print: string }>`
      select count(*) || ' ' || coalesce(md5(string_agg(line, chr(10) order by line)), '') as print
      from (select (${row})::text as line from ${sql.table(name)} as t) as lines`.execute(db);
    found.push([name, rows[0]!.print]);
  }
  return Object.fromEntries(found);
}
