import { NIL_UUID } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { createToken } from '../../packages/server/src/features/invitations/invitation-mail.ts';
import { insertKey } from '../../packages/server/src/features/machines/machines-fixture.ts';
import { addWebhook } from '../../packages/server/src/features/webhooks/webhook-fixture.ts';
import { insertApplicationRows } from '../../packages/server/test/application-rows.ts';
import { insertSession } from '../../packages/server/test/harness.ts';
import { trustBrowser } from '../../packages/server/test/records.ts';
import { insertConnection } from '../../packages/server/test/sso-fixture.ts';
import type { Tenants } from './tenancy-fixture.ts';

export interface Belongings {
  readonly user: string;
  readonly organization: string;
  readonly session: string;
  readonly passkey: string;
  readonly identity: string;
  readonly trusted_browser: string;
  readonly invitation: string;
  readonly role: string;
  readonly webhook: string;
  readonly domain: string;
  readonly sso_connection: string;
  readonly delivery: string;
  readonly application: string;
  readonly secret: string;
  readonly interaction: string;
  readonly service_account: string;
  readonly api_key: string;
}

export async function ownAll({ localApp }: Tenants): Promise<Belongings> {
  const { db } = localApp.deps;
  const { user_id, organization_id, session_id, email } = await insertSession(localApp);
  const now = localApp.clock.now();
  const [passkey, identity, invitation, role, delivery] = [uuid(), uuid(), uuid(), uuid(), uuid()];
  await db
    .insertInto('passkeys')
    .values({
      id: passkey,
      user_id,
      credential_id: Buffer.from(passkey),
      public_key: Buffer.of(1),
      sign_count: 0,
      name: 'Key',
      device_type: 'singleDevice',
      backed_up: false,
      transports: [],
      aaguid: NIL_UUID,
      created_at: now,
    })
    .execute();
  await db
    .insertInto('identities')
    .values({
      id: identity,
      user_id,
      provider: 'oauth_a',
      issuer: 'x',
      subject: identity,
      email,
      linked_at: now,
      last_used_at: now,
    })
    .execute();
  await trustBrowser(localApp, user_id);
  const trusted = await db
    .selectFrom('trusted_browsers')
    .select('id')
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  const { token_hash, expires_at } = createToken(now);
  await db
    .insertInto('invitations')
    .values({
      id: invitation,
      organization_id,
      email: `${invitation}@example.com`,
      role: 'member',
      inviter_id: user_id,
      inviter_email: email,
      token_hash,
      created_at: now,
      expires_at,
    })
    .execute();
  await db
    .insertInto('roles')
    .values({
      id: role,
      organization_id,
      name: 'Role',
      slug: 'role',
      description: null,
      permissions: [],
      created_at: now,
      updated_at: now,
    })
    .execute();
  const webhook = await addWebhook(localApp, { organization_id, user_id });
  await db
    .insertInto('webhook_deliveries')
    .values({
      id: delivery,
      webhook_id: webhook,
      event_id: uuid(),
      audit_id: null,
      event_at: now,
      type: 'webhook.test',
      status: 'delivered',
      next_attempt_at: now,
      created_at: now,
    })
    .execute();
  const domain = uuid();
  await db
    .insertInto('domains')
    .values({ id: domain, organization_id, domain: `${domain}.example`, token: uuid(), created_at: now })
    .execute();
  const sso_connection = await insertConnection(localApp, { organization_id });
  const owner = { user_id, organization_id, session_id };
  const expires = new Date(now.getTime() + 3_600_000);
  const { application_id, secret_id, interaction_id } = await insertApplicationRows(db, owner, {
    now,
    expires_at: expires,
  });
  const { account_id, key_id } = await insertKey(localApp, {
    organization_id,
    created_by: user_id,
    permissions: [],
    scopes: null,
  });
  return {
    user: user_id,
    organization: organization_id,
    session: session_id,
    passkey,
    identity,
    trusted_browser: trusted.id,
    invitation,
    role,
    webhook,
    domain,
    sso_connection,
    delivery,
    application: application_id,
    secret: secret_id,
    interaction: interaction_id,
    service_account: account_id,
    api_key: key_id,
  };
}

export async function endAll(
  { localApp }: Tenants,
  { user, organization, application: application_id, api_key }: Belongings,
): Promise<void> {
  const { db } = localApp.deps;
  const revoked_at = new Date();
  await db.updateTable('sessions').set({ revoked_at }).where('user_id', '=', user).execute();
  await db.updateTable('trusted_browsers').set({ revoked_at, token_hash: null }).where('user_id', '=', user).execute();
  const keyless = { revoked_at, credential_id: null, public_key: null };
  await db.updateTable('passkeys').set(keyless).where('user_id', '=', user).execute();
  const nameless = { revoked_at, subject: null, email: null };
  await db.updateTable('identities').set(nameless).where('user_id', '=', user).execute();
  const closed = { revoked_at, closed_at: revoked_at };
  await db.updateTable('invitations').set(closed).where('organization_id', '=', organization).execute();
  await db.updateTable('roles').set({ deleted_at: revoked_at }).where('organization_id', '=', organization).execute();
  const gone = { deleted_at: revoked_at, enabled: false };
  await db.updateTable('webhooks').set(gone).where('organization_id', '=', organization).execute();
  const removed = { deleted_at: revoked_at, active: false };
  await db.updateTable('sso_connections').set(removed).where('organization_id', '=', organization).execute();
  await db.updateTable('domains').set({ removed_at: revoked_at }).where('organization_id', '=', organization).execute();
  await db.updateTable('application_grants').set({ ended_at: revoked_at }).where('user_id', '=', user).execute();
  await db.updateTable('application_consents').set({ revoked_at }).where('user_id', '=', user).execute();
  await db
    .updateTable('application_secrets')
    .set({ revoked_at })
    .where('application_id', '=', application_id)
    .execute();
  await db.updateTable('interactions').set({ decided_at: revoked_at }).where('user_id', '=', user).execute();
  await db
    .updateTable('applications')
    .set({ deleted_at: revoked_at, enabled: false })
    .where('id', '=', application_id)
    .execute();
  const deleted = { deleted_at: revoked_at };
  await db.updateTable('service_accounts').set(deleted).where('organization_id', '=', organization).execute();
  await db.updateTable('api_keys').set({ revoked_at }).where('id', '=', api_key).execute();
  await db.updateTable('users').set({ status: 'deleted' }).where('id', '=', user).execute();
  await db.updateTable('organizations').set({ suspended_at: revoked_at }).where('id', '=', organization).execute();
}
