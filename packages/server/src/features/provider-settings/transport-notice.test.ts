import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FakeMailApi, startFakeMailApi } from '../../../test/fake-mail-api.ts';
import { insertSession, type TestApp } from '../../../test/harness.ts';
import { setUser } from '../../../test/records.ts';
import {
  type Administrator,
  createAdministrator,
  everythingIn,
  forgetAll,
  GOOD,
  startWithKey,
} from './integrations-fixture.ts';

let app: TestApp;
let api: FakeMailApi;
let admin: Administrator;
let owner: { user_id: string; email: string };
beforeAll(async () => {
  api = await startFakeMailApi();
  app = await startWithKey({ environment: { EMAIL_API_BASE_URL: api.url } });
  admin = await createAdministrator(app);
  const { user_id } = await insertSession(app, { platform_role: 'owner' });
  owner = { user_id, email: `${user_id}@example.com` };
  const { user_id: disabled } = await insertSession(app, { platform_role: 'owner' });
  await setUser(app, disabled, { status: 'disabled' });
});
afterAll(async () => {
  await app.close();
  await api.close();
});
beforeEach(async () => {
  await forgetAll(app);
  await app.deps.providers.reload();
  await app.deps.db.deleteFrom('rate_counters').execute();
  await app.mailbox.take(owner.email);
  api.requests.length = 0;
});

const FIRST = GOOD.email_transport;
const SECOND = { ...FIRST, public_config: { from: 'other@example.com' }, secret: 're_another-mail-key' };

/** Received mails: API key (none for the folder), sender, and what the mail says about its transport. */
async function arrived() {
  await app.mailbox.settle();
  const byApi = api.requests
    .splice(0)
    .map(({ authorization, body }) => [authorization, body.from, body.to, overOf(body.text)]);
  const byFolder = (await app.mailbox.take(owner.email)).map(({ to, text }) => ['folder', '', [to], overOf(text)]);
  return [...byApi, ...byFolder];
}
const overOf = (text: string) => /sent over the (new transport|transport that was active before)/.exec(text)?.[1];
const NEW = 'new transport';
const EARLIER = 'transport that was active before';

const put = async (change: unknown) => expect((await admin.put('email_transport', change)).status).toBe(200);

describe('a change of the mail transport', () => {
  it('a change of the mail transport is announced to every active platform owner over the earlier transport and over the new one', async () => {
    await put(FIRST);
    expect(await arrived()).toEqual([
      ['Bearer re_the-mail-key', 'id@example.com', [owner.email], NEW],
      ['folder', '', [owner.email], EARLIER],
    ]);
    await put(SECOND);
    expect(await arrived()).toEqual([
      ['Bearer re_another-mail-key', 'other@example.com', [owner.email], NEW],
      ['Bearer re_the-mail-key', 'id@example.com', [owner.email], EARLIER],
    ]);
  });

  it.each([
    ['disabled', { ...FIRST, enabled: false, secret: undefined }],
    ['without its secret', { enabled: true, public_config: FIRST.public_config, clear_secret: true }],
    ['without a sender', { enabled: true, public_config: {} }],
  ])(
    'if a stored transport is %s, the fallback transport applies, and the stored one still sends its notice',
    async (_name, change) => {
      await put(FIRST);
      await arrived();
      await put(change);
      expect(await arrived()).toEqual([
        ['Bearer re_the-mail-key', 'id@example.com', [owner.email], EARLIER],
        ['folder', '', [owner.email], NEW],
      ]);
    },
  );

  it('no mail is sent if the active transport does not change', async () => {
    await put(FIRST);
    await arrived();
    await put(FIRST);
    await put({ ...FIRST, secret: undefined });
    expect(await arrived()).toEqual([]);
    await put({ ...FIRST, enabled: false, secret: undefined });
    await arrived();
    await put({ ...SECOND, enabled: false });
    expect(await arrived()).toEqual([]);
  });

  it('is announced at most ten times in ten minutes to one owner', async () => {
    for (let round = 0; round < 12; round++) await put(round % 2 === 0 ? FIRST : SECOND);
    expect(await arrived()).toHaveLength(20);
  });

  it('the notice names the actor and what to do', async () => {
    await put(FIRST);
    await app.mailbox.settle();
    const { subject, text } = api.requests[0]!.body;
    expect(subject).toBe('The email transport was changed');
    expect(text).toContain(`${admin.user_id}@example.com changed how http://localhost:8080 sends email.`);
    expect(text).toContain('“Providers” in the console');
  });

  it('the notices are queued sealed, in the transaction of the change, and deleted if the earlier transport fails for an hour', async () => {
    await put(FIRST);
    await arrived();
    api.mode = 500;
    await put(SECOND);
    await expect.poll(() => api.requests.length).toBeGreaterThanOrEqual(2);
    const queued = await app.deps.db.selectFrom('mails').selectAll().where('state', '=', 'queued').execute();
    expect(queued.map(({ template }) => template)).toEqual(['mail_transport_changed', 'mail_transport_changed']);
    expect(await everythingIn(app)).not.toMatch(/re_the-mail-key|re_another-mail-key/);
    expect(JSON.stringify(app.logs)).not.toMatch(/re_the-mail-key|re_another-mail-key/);
    app.clock.advance(3601);
    await app.mailbox.settle();
    for (const { id } of queued) {
      const row = await app.deps.db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      expect(row).toMatchObject({ sealed: null });
    }
    api.mode = 'ok';
  });
});
