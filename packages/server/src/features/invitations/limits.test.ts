import { describe, expect, it } from 'vitest';
import { atOnce, createBrowser, newEmail, type TestUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { countingRows } from '../../../test/records.ts';
import { colleague, founder } from '../../../test/team.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { acceptNew, ask, findRow, pathOf, preview, setRow } from './invitation-fixture.ts';

const app = useTestApp({
  environment: {
    LIMIT_MAIL_PER_ACCOUNT: '3/10m',
    LIMIT_MAIL_PER_ADDRESS: '6/1h',
    LIMIT_INVITATIONS_PER_ORGANIZATION: '8/11m',
    TRUST_PROXY: '127.0.0.1',
  },
});

let networks = 0;
const from = (address = `198.51.100.${++networks}`) => ({ headers: { 'x-forwarded-for': address } });
const inviteFrom = (inviter: TestUser, email: string, address?: string, role = 'member') =>
  inviter.browser.post(pathOf(inviter), { email, role }, from(address));
const resendFrom = (inviter: TestUser, id: string) =>
  inviter.browser.post(pathOf(inviter, `/${id}/resend`), undefined, from());
const limited = async () =>
  Number(/^gatehouse_mails_limited_total (\d+)$/m.exec((await app.server.inject('/metrics')).body)![1]);

describe('the limit per email and organization', () => {
  it('invitations and resends to one email are counted, with or without an account: over the limit 429 with Retry-After', async () => {
    const [inviter, known] = [await founder(app), await founder(app)];
    const answers = [];
    for (const email of [known.email, newEmail()]) {
      const { json } = await inviteFrom(inviter, email);
      // Waits until the last mail is sent: a queued mail would be dropped when its token is replaced.
      const again = async () => {
        await app.mailbox.settle();
        return resendFrom(inviter, json.id);
      };
      expect(tally([await again(), await again()])).toEqual({ 200: 2 });
      await app.mailbox.settle();
      const before = await limited();
      const { result, rows } = await countingRows(app, ['mails', 'audit_events'], again);
      expect(rows).toEqual({ mails: 0, audit_events: 0 });
      expect(result.json.error.code).toBe('rate_limited');
      expect(await limited()).toBe(before + 1);
      answers.push([result.status, result.text, result.headers['retry-after']]);
      // Only the link of the last mail is valid.
      const previews = [];
      for (const { text } of await app.mailbox.take(email)) {
        previews.push(await preview(app, /token=([\w-]+)$/m.exec(text)![1]!));
      }
      expect(tally(previews)).toEqual({ 200: 1, 404: 2 });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]![0]).toBe(429);
    expect(Number(answers[0]![2])).toBe(600);
  });

  it('one organization neither uses up the limit of another nor learns of it', async () => {
    const [one, other] = [await founder(app), await founder(app)];
    const email = newEmail();
    const { json } = await inviteFrom(one, email);
    for (let index = 0; index < 4; index++) await resendFrom(one, json.id);
    expect((await inviteFrom(other, email)).status).toBe(201);
  });

  it('failed requests do not count: a role above the caller’s rank, a member, a pending or ended invitation', async () => {
    const team = await founder(app);
    const [admin, member] = [await colleague(app, team, 'admin'), await colleague(app, team)];
    const email = newEmail();
    const refused = await atOnce(10, (index) =>
      index < 5 ? inviteFrom(admin, email, undefined, 'owner') : inviteFrom(team, member.email),
    );
    expect(tally(refused)).toEqual({ 403: 5, 409: 5 });
    const { json } = await inviteFrom(team, email);
    expect(tally(await atOnce(5, () => inviteFrom(team, email)))).toEqual({ 409: 5 });
    expect(tally([await resendFrom(team, json.id), await resendFrom(team, json.id)])).toEqual({ 200: 2 });
    expect((await resendFrom(team, json.id)).status).toBe(429);
    await setRow(app, json.id, { token_hash: hashToken('known') });
    expect((await acceptNew(app, 'known')).status).toBe(200);
    expect((await resendFrom(team, json.id)).status).toBe(409);
    expect((await inviteFrom(team, email)).status).toBe(409);
  });

  it('the limit per email is not exceeded by 10 concurrent resends', async () => {
    const team = await founder(app);
    const { json } = await inviteFrom(team, newEmail());
    expect(tally(await atOnce(10, () => resendFrom(team, json.id)))).toEqual({ 200: 2, 429: 8 });
  });

  it('invitations do not use up the mails that the owner of the email needs to sign in', async () => {
    const known = await founder(app);
    for (let index = 0; index < 5; index++) await inviteFrom(await founder(app), known.email);
    await app.mailbox.take(known.email);
    const asked = await createBrowser(app).post('/auth/email-otp/request', { email: known.email }, from());
    expect(asked.status).toBe(204);
    expect(await app.mailbox.takeCode(known.email)).toMatch(/^\d{6}$/);
  });
});

describe('the limit per email over all organizations', () => {
  it('over five times the limit per email, invitations are created without a mail, until the next window', async () => {
    const email = newEmail();
    for (let index = 0; index < 15; index++) expect((await inviteFrom(await founder(app), email)).status).toBe(201);
    expect(await app.mailbox.take(email)).toHaveLength(15);
    const team = await founder(app);
    const before = await limited();
    const { result, rows } = await countingRows(app, ['mails', 'audit_events'], () => inviteFrom(team, email));
    expect(result.status).toBe(201);
    expect(result.json).toMatchObject({ email, status: 'pending' });
    expect(rows).toEqual({ mails: 0, audit_events: 1 });
    expect(await findRow(app, result.json.id)).toBeDefined();
    const again = await countingRows(app, ['mails'], () => resendFrom(team, result.json.id));
    expect(again).toMatchObject({ result: { status: 200 }, rows: { mails: 0 } });
    expect(await limited()).toBe(before + 2);
    app.clock.advance(600);
    expect((await resendFrom(team, result.json.id)).status).toBe(200);
    expect(await app.mailbox.take(email)).toHaveLength(1);
  });
});

describe('the limits per organization and per client address', () => {
  it('the limit per organization counts invitations and resends over all networks and members: 429 with Retry-After', async () => {
    const team = await founder(app);
    const admin = await colleague(app, team, 'admin');
    const first = await inviteFrom(team, newEmail());
    const answers = [first, await resendFrom(admin, first.json.id)];
    answers.push(...(await atOnce(12, (index) => inviteFrom(index % 2 ? team : admin, newEmail()))));
    expect(tally(answers)).toEqual({ 200: 1, 201: 7, 429: 6 });
    const { status, headers, json } = await resendFrom(team, first.json.id);
    expect([status, headers['retry-after'], json.error.code]).toEqual([429, '660', 'rate_limited']);
    expect((await ask(await founder(app), { email: newEmail(), role: 'member' })).status).toBe(201);
    app.clock.advance(660);
    expect((await resendFrom(team, first.json.id)).status).toBe(200);
  });
});

it('429 over the hourly limit of one client address', async () => {
  const answers = [];
  for (let index = 0; index < 8; index++) {
    answers.push(await inviteFrom(await founder(app), newEmail(), '203.0.113.9'));
  }
  expect(tally(answers)).toEqual({ 201: 6, 429: 2 });
  expect((await inviteFrom(await founder(app), newEmail(), '203.0.113.10')).status).toBe(201);
});
