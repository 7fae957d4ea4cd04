import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import type { TestUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import { colleague, founder } from '../../../test/team.ts';
import { TIMEOUT_MS } from '../../../test/timeouts.ts';
import { type Receiver, startReceiver } from '../../features/webhooks/receiver-fixture.ts';
import { after } from '../../platform/clock.ts';
import { createFanOut } from './fan-out.ts';
import { RETRY_DELAYS } from './worker.ts';

let app: TestApp;
let receiver: Receiver;
let owner: TestUser;
let webhook_id: string;
beforeEach(async () => {
  [app, receiver] = await Promise.all([startTestApp(), startReceiver()]);
  owner = await founder(app);
  webhook_id = await createWebhook(owner);
});
afterEach(() => Promise.all([app.close(), receiver.close()]));

const soon = { timeout: TIMEOUT_MS, interval: 20 };
const db = () => app.deps.db;

async function createWebhook(user: TestUser, url = receiver.url): Promise<string> {
  const body = { url, events: ['role.created'] };
  const { json } = await user.browser.post(`/orgs/${user.organization_id}/webhooks`, body);
  return json.id;
}

/** Creates a role, and its deliveries: the service would do that within a second. */
async function act(user = owner, name = 'Accountant'): Promise<void> {
  await user.browser.post(`/orgs/${user.organization_id}/roles`, { name });
  await createFanOut({ ...app.deps, wake: app.deps.webhooks.wake }).catchUp();
}

const webhook = (id = webhook_id) =>
  db().selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const deliveries = (id = webhook_id) =>
  db().selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', id).orderBy('created_at').execute();

async function untilAttempted(count: number) {
  await expect
    .poll(async () => {
      const [row] = await deliveries();
      return row?.last_attempt_at?.getTime() === app.clock.now().getTime() ? row.attempts : 0;
    }, soon)
    .toBe(count);
  return (await deliveries())[0]!;
}

async function advanceToNext(): Promise<void> {
  const [row] = await deliveries();
  app.clock.set(row!.next_attempt_at);
  app.deps.webhooks.wake();
}

describe('the webhook worker', () => {
  it('retries ten times on the documented schedule, within ten percent, then the delivery has failed', async () => {
    receiver.answer = 503;
    await act();
    // Resets `failing_since`: a webhook without a success for five days would be disabled.
    const keepWorking = () => db().updateTable('webhooks').set({ failing_since: null }).execute();
    for (const [index, delay] of RETRY_DELAYS.entries()) {
      const row = await untilAttempted(index + 1);
      expect(row).toMatchObject({ status: 'pending', last_status: 503, last_error: 'status' });
      const waited = (row.next_attempt_at.getTime() - row.last_attempt_at!.getTime()) / 1000;
      expect(waited).toBeGreaterThanOrEqual(delay * 0.9);
      expect(waited).toBeLessThanOrEqual(delay * 1.1);
      await keepWorking();
      await advanceToNext();
    }
    expect(await untilAttempted(10)).toMatchObject({ status: 'failed' });
    expect(receiver.received).toHaveLength(10);
    const [first] = receiver.received;
    expect(
      receiver.received.every(
        ({ body, headers }) => body === first!.body && headers['webhook-id'] === first!.headers['webhook-id'],
      ),
    ).toBe(true);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
    const { json } = await (await colleague(app, owner, 'owner')).browser.get(
      `/orgs/${owner.organization_id}/webhooks/${webhook_id}/deliveries?status=failed`,
    );
    expect(json.items).toMatchObject([{ attempts: 10, next_attempt_at: null, delivered_at: null }]);
  });

  it('a 410 response disables the webhook at once, is audited and mailed to owners; the delivery waits until the webhook is enabled', async () => {
    receiver.answer = 410;
    await act();
    await expect.poll(webhook, soon).toMatchObject({ enabled: false, disabled_reason: 'gone' });
    const [row] = await auditOf(app, { action: 'webhook.disabled' });
    expect(row).toMatchObject({
      actor_type: 'system',
      organization_id: owner.organization_id,
      resource_id: webhook_id,
      metadata: { scope: 'organization', reason: 'gone' },
    });
    expect((await app.mailbox.take(owner.email)).map(({ subject }) => subject)).toEqual(['A webhook was disabled']);
    app.clock.advance(600);
    await act(owner, 'Meanwhile');
    receiver.answer = 200;
    const path = `/orgs/${owner.organization_id}/webhooks/${webhook_id}`;
    expect((await owner.browser.patch(path, { enabled: true })).json).toMatchObject({ disabled_reason: null });
    await expect.poll(async () => (await deliveries()).map(({ status }) => status), soon).toEqual(['delivered']);
  });

  it('owners get at most one mail a day about a webhook, however often it is disabled; unverified owners only if no owner is verified', async () => {
    const unverified = await colleague(app, owner, 'owner');
    const setVerified = (email_verified_at: Date | null, ...ids: string[]) =>
      db().updateTable('users').set({ email_verified_at }).where('id', 'in', ids).execute();
    await setVerified(app.clock.now(), owner.user_id);
    await setVerified(null, unverified.user_id);
    receiver.answer = 410;
    const path = `/orgs/${owner.organization_id}/webhooks/${webhook_id}`;
    /** Enables the webhook, whose receiver then responds with 410 to a test event. Returns the numbers of mails. */
    const disableAgain = async (user = owner) => {
      await user.browser.patch(path, { enabled: true });
      await user.browser.post(`${path}/test`);
      await expect.poll(webhook, soon).toMatchObject({ enabled: false });
      return Promise.all([owner, unverified].map(async ({ email }) => (await app.mailbox.take(email)).length));
    };
    expect(await disableAgain()).toEqual([1, 0]);
    expect(await disableAgain()).toEqual([0, 0]);
    await setVerified(null, owner.user_id);
    app.clock.advance(600);
    expect(await disableAgain()).toEqual([0, 1]);
    expect(await disableAgain()).toEqual([0, 0]);
    app.clock.advance(24 * 3600);
    expect(await disableAgain(await colleague(app, owner, 'admin'))).toEqual([1, 1]);
  });

  it('an attempt that fails five days after the first failure disables the webhook', async () => {
    receiver.answer = 500;
    await act();
    await untilAttempted(1);
    const since = app.clock.now();
    expect((await webhook()).failing_since).toEqual(since);
    app.clock.set(after(since, 5 * 86_400 - 1));
    app.deps.webhooks.wake();
    await untilAttempted(2);
    expect(await webhook()).toMatchObject({ enabled: true, failing_since: since });
    await db().updateTable('webhook_deliveries').set({ next_attempt_at: since }).execute();
    app.clock.advance(1);
    app.deps.webhooks.wake();
    await expect.poll(webhook, soon).toMatchObject({ enabled: false, disabled_reason: 'failing' });
  });

  it('a successful delivery clears failing_since of the webhook', async () => {
    receiver.answer = 500;
    await act();
    await untilAttempted(1);
    receiver.answer = 204;
    await advanceToNext();
    expect(await untilAttempted(2)).toMatchObject({ status: 'delivered', last_status: 204, last_error: null });
    expect((await webhook()).failing_since).toBeNull();
  });

  it('deliveries of a suspended organization wait without attempts, and are sent when it is restored', async () => {
    receiver.answer = 500;
    await act();
    await untilAttempted(1);
    const admin = await insertAdministrator(app, 'admin', app.clock.now());
    const suspend = (suspended: boolean) => admin.patch(`/admin/orgs/${owner.organization_id}`, { suspended });
    expect((await suspend(true)).status).toBe(200);
    receiver.answer = 200;
    app.clock.advance(600);
    const other = await founder(app);
    const theirs = await createWebhook(other);
    await act(other);
    await expect.poll(async () => (await deliveries(theirs)).map(({ status }) => status), soon).toEqual(['delivered']);
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1 }]);
    const again = await insertAdministrator(app, 'admin', app.clock.now());
    expect((await again.patch(`/admin/orgs/${owner.organization_id}`, { suspended: false })).status).toBe(200);
    app.deps.webhooks.wake();
    await expect.poll(async () => (await deliveries())[0], soon).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it.each([
    ['a redirect, which is not followed', (r: Receiver) => r.url, 302, 'redirect', 302],
    [
      'an address that does not answer',
      () => 'http://127.0.0.1:1/',
      200,
      expect.stringMatching(/^unreachable \(/),
      null,
    ],
  ])('records the failure for %s', async (_what, url, status, last_error, last_status) => {
    receiver.answer = (response) => response.writeHead(status, { location: `${receiver.url}/elsewhere` }).end();
    const id = await createWebhook(owner, url(receiver));
    await act();
    await expect.poll(async () => (await deliveries(id))[0], soon).toMatchObject({ last_error, last_status });
    expect(receiver.received.every(({ path }) => path === '/hook')).toBe(true);
  });

  it('receivers that hang or respond without end do not delay the others, and the body is not stored', async () => {
    const hanging = new Set<string>();
    receiver.answer = (response) => {
      const path = response.req.url!;
      if (path.endsWith('/hang')) return void hanging.add(path);
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        response.once('drain', pour);
      };
      pour();
    };
    const stuck = await Promise.all(
      Array.from({ length: 9 }, (_, index) => createWebhook(owner, `${receiver.url}/${index}/hang`)),
    );
    // More deliveries than the lane runs at once.
    const events = Array.from({ length: 100 }, (_, index) => sql`(gen_random_uuid(), ${stuck[index % 9]}::uuid)`);
    const now = app.clock.now();
    await sql`insert into webhook_deliveries (id, webhook_id, event_id, event_at, type, next_attempt_at, created_at)
      select id, webhook_id, id, ${now}, 'webhook.test', ${now}, ${now}
      from (values ${sql.join(events)}) as event (id, webhook_id)`.execute(db());
    app.deps.webhooks.wake();
    await expect.poll(() => hanging.size, soon).toBe(9);
    await act();
    await expect
      .poll(async () => (await deliveries())[0], soon)
      .toMatchObject({ status: 'delivered', last_status: 200 });
    const { rows } = await sql<{ text: string }>`select row_to_json(d)::text as text from webhook_deliveries d`.execute(
      db(),
    );
    expect(rows.some(({ text }) => text.includes('xxx'))).toBe(false);
  });

  it('a delivery under another JWT_SECRET waits without counting attempts, and does not count as a failure', async () => {
    const [secret] = await db().selectFrom('webhook_secrets').select('sealed_secret').execute();
    await db().updateTable('webhook_secrets').set({ sealed_secret: 'v1:0000000000000000:AAAA' }).execute();
    await act();
    app.deps.webhooks.wake();
    await expect.poll(async () => (await deliveries())[0]?.last_error, soon).toBe('secret_unreadable');
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0, last_attempt_at: null }]);
    expect(await webhook()).toMatchObject({ failing_since: null });
    await db().updateTable('webhook_secrets').set(secret!).execute();
    await advanceToNext();
    await expect.poll(async () => (await deliveries())[0]?.status, soon).toBe('delivered');
  });

  it('reclaiming an account disables the webhooks that it has created', async () => {
    const { disableWebhooksOf } = await import('./disable.ts');
    const { SYSTEM } = await import('../kernel/caller.ts');
    await db()
      .transaction()
      .execute((tx) => disableWebhooksOf(tx, SYSTEM, owner.user_id, app.clock.now()));
    expect(await webhook()).toMatchObject({ enabled: false, disabled_reason: null });
    expect(await auditOf(app, { action: 'webhook.disabled' })).toMatchObject([{ metadata: { reason: 'reclaimed' } }]);
  });
});
