import { randomBytes } from 'node:crypto';
import { LIMITS } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import { insertKey } from '../src/features/machines/machines-fixture.ts';
import { addWebhook } from '../src/features/webhooks/webhook-fixture.ts';
import { after } from '../src/platform/clock.ts';
import { transact } from '../src/platform/db/transact.ts';
import { insertApplicationRows } from './application-rows.ts';
import { createBrowser, registerUser, type TestUser } from './browser.ts';
import { insertSession, type TestApp } from './harness.ts';
import { trustBrowser } from './records.ts';
import { challenge, type Enrolled, halfSignIn } from './second-factor.ts';
import { insertConnection } from './sso-fixture.ts';

/** Creates every kind of row that a day creates: through the API where that is fast, otherwise with SQL. */
export async function liveADay(app: TestApp, enrolled: Enrolled): Promise<void> {
  const user = await registerUser(app);
  await signIns(app, user);
  const { status } = await challenge(app, await halfSignIn(app, enrolled), { code: enrolled.app.wrong() });
  expect(status).toBe(401);
  await halfSignIn(app, enrolled);
  await app.mailbox.settle();
  await insertExpiringRows(app, user);
}

async function signIns(app: TestApp, { email, password, browser }: TestUser): Promise<void> {
  const second = createBrowser(app);
  const outsider = createBrowser(app);
  const answers = [
    await second.post('/auth/login', { email, password }),
    await second.post('/auth/refresh'),
    await second.post('/auth/logout'),
    await outsider.post('/auth/login', { email, password: 'not the right one' }),
    await outsider.post('/auth/email-otp/request', { email }),
    await outsider.post('/auth/password/forgot', { email }),
    await browser.post('/auth/refresh'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 204, 401, 204, 204, 200]);
}

async function insertExpiringRows(app: TestApp, { user_id, organization_id, session_id }: TestUser): Promise<void> {
  const { clock, deps } = app;
  const { db } = deps;
  const now = clock.now();
  const key = () => randomBytes(16);
  // A session that is never refreshed and expires.
  await insertSession(app, { organization_id });
  await trustBrowser(app, user_id, { expires_at: after(now, LIMITS.trustedBrowser) });
  await db
    .insertInto('roles')
    .values({
      id: uuid(),
      organization_id,
      name: 'Deleted',
      slug: 'deleted',
      description: null,
      permissions: [],
      created_at: now,
      updated_at: now,
      deleted_at: now,
    })
    .execute();
  const { account_id, key_id } = await insertKey(app, {
    organization_id,
    created_by: user_id,
    permissions: [],
    scopes: null,
  });
  await db.updateTable('service_accounts').set({ deleted_at: now }).where('id', '=', account_id).execute();
  await db.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', key_id).execute();
  const webhook_id = await addWebhook(app, { organization_id, user_id });
  await db
    .insertInto('webhook_deliveries')
    .values({
      id: uuid(),
      webhook_id,
      event_id: uuid(),
      audit_id: null,
      event_at: now,
      type: 'webhook.test',
      status: 'delivered',
      next_attempt_at: now,
      created_at: now,
    })
    .execute();
  await db.updateTable('webhooks').set({ deleted_at: now, enabled: false }).where('id', '=', webhook_id).execute();
  await db
    .insertInto('domains')
    .values({ id: uuid(), organization_id, domain: 'example.com', token: uuid(), created_at: now, removed_at: now })
    .execute();
  const connection_id = await insertConnection(app, { organization_id });
  await db.updateTable('sso_connections').set({ deleted_at: now }).where('id', '=', connection_id).execute();
  await db
    .insertInto('refreshes')
    .values({ key: uuid(), expires_at: after(now, 900) })
    .execute();
  await db
    .insertInto('oauth_states')
    .values({ id: key(), expires_at: after(now, LIMITS.oauthFlow) })
    .execute();
  await db
    .insertInto('passkey_challenges')
    .values({ id: key(), expires_at: after(now, LIMITS.passkey.challenge) })
    .execute();
  await db
    .insertInto('passkeys')
    .values({
      id: uuid(),
      user_id,
      credential_id: null,
      public_key: null,
      sign_count: 0,
      name: 'Key',
      device_type: 'singleDevice',
      backed_up: false,
      transports: [],
      aaguid: uuid(),
      created_at: now,
      last_used_at: null,
      revoked_at: now,
    })
    .execute();
  await db
    .insertInto('identities')
    .values({
      id: uuid(),
      user_id,
      provider: 'oauth_a',
      issuer: 'https://issuer.example.com',
      subject: null,
      email: null,
      linked_at: now,
      last_used_at: null,
      revoked_at: now,
    })
    .execute();
  await db
    .insertInto('invitations')
    .values({
      id: uuid(),
      organization_id,
      email: `${uuid()}@example.com`,
      role: 'member',
      inviter_id: user_id,
      inviter_email: 'somebody@example.com',
      token_hash: key(),
      created_at: now,
      expires_at: after(now, LIMITS.invitation.lifetime),
      accepted_at: null,
      revoked_at: null,
      closed_at: null,
    })
    .execute();
  for (const keys of ['signing_keys', 'application_keys'] as const) {
    await db
      .insertInto(keys)
      .values({
        kid: uuid(),
        public_jwk: JSON.stringify({ n: '', e: '' }),
        sealed_private_key: null,
        created_at: now,
        signs_from: now,
        published_until: now,
      })
      .execute();
  }
  const owner = { user_id, organization_id, session_id };
  await insertApplicationRows(db, owner, { now, expires_at: after(now, 3600), ended: true });
  await transact(db, (tx) => deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]));
}
