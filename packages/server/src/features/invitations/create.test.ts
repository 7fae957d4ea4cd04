import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { atOnce, bearer, createBrowser, newEmail, registerUser, type TestUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { countingRows, setUser, suspendOrganization } from '../../../test/records.ts';
import { colleague, findMembership, founder, updateMembership } from '../../../test/team.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { ask, eventsOf, findRow, invite, list, pathOf, preview, resend, revoke, setRow } from './invitation-fixture.ts';

const app = useTestApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
});

const mailTo = async (email: string) => {
  const mails = await app.mailbox.take(email);
  expect(mails).toHaveLength(1);
  return mails[0]!;
};

describe('POST /orgs/:org_id/invitations', () => {
  it('201 invitation, valid for seven days, audited; the token is only in the mail, its hash in the database', async () => {
    const email = newEmail('invited');
    const answer = await ask(owner, { email: ` ${email.toUpperCase()} `, role: 'admin' });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      organization_id: owner.organization_id,
      email,
      role: 'admin',
      status: 'pending',
      inviter_email: owner.email,
      created_at: app.clock.now().toISOString(),
      expires_at: new Date(app.clock.now().getTime() + 7 * 86_400_000).toISOString(),
      role_ids: [],
    });
    const { subject, text } = await mailTo(email);
    expect(subject).toBe('Invitation to join Example');
    expect(text).toContain(owner.email);
    expect(text).toContain('admin');
    expect(text).toContain('7 days');
    const token = /http:\/\/localhost:8080\/accept-invitation\?token=([\w-]{43})$/m.exec(text)![1]!;
    const row = (await findRow(app, answer.json.id))!;
    expect(row.token_hash).toEqual(hashToken(token));
    expect(JSON.stringify(row)).not.toContain(token);
    const audit = await eventsOf(app, answer.json);
    expect(audit).toMatchObject([
      {
        action: 'invitation.created',
        actor_id: owner.user_id,
        organization_id: owner.organization_id,
        resource_type: 'invitation',
        metadata: { role: 'admin' },
      },
    ]);
    expect(JSON.stringify(audit)).not.toContain(token);
    expect((await list(owner)).text).not.toContain(token);
    expect(JSON.stringify(app.logs)).not.toContain(token);
  });

  it('the mail says if the email of the inviter is not verified, and shows the organization name without a link', async () => {
    const inviter = await registerUser(app, { organization_name: 'Win at https://evil.com/x' });
    const mailFrom = async () => {
      const email = newEmail();
      expect((await ask(inviter, { email, role: 'member' })).status).toBe(201);
      return mailTo(email);
    };
    const mail = await mailFrom();
    expect(mail.subject).toBe('Invitation to join Win at evil.\u200bcom/\u200bx');
    expect(mail.text).toContain('“Win at evil.\u200bcom/\u200bx”');
    expect(mail.text).toContain(`${inviter.email} (address not verified) invites you`);
    expect(mail.html).toContain('(address not verified)');
    expect(`${mail.subject}${mail.text}${mail.html}`).not.toMatch(/evil\.com|https:/);
    await setUser(app, inviter.user_id, { email_verified_at: app.clock.now() });
    expect((await mailFrom()).text).toContain(`${inviter.email} invites you`);
  });

  it('the mail uses the language of the invited user, else that of the inviter, else the default', async () => {
    const [inviter, known] = [await founder(app), await founder(app)];
    const subjectFor = async (email: string) => {
      expect((await ask(inviter, { email, role: 'member' })).status).toBe(201);
      return (await mailTo(email)).subject;
    };
    expect(await subjectFor(newEmail())).toBe('Invitation to join Example');
    await setUser(app, inviter.user_id, { locale: 'de-CH' });
    expect(await subjectFor(newEmail())).toBe('Einladung zu Example');
    await setUser(app, known.user_id, { locale: 'en' });
    expect(await subjectFor(known.email)).toBe('Invitation to join Example');
  });

  it.each([
    ['owner', 'owner', 201],
    ['owner', 'member', 201],
    ['admin', 'admin', 201],
    ['admin', 'member', 201],
    ['admin', 'owner', 403],
    ['member', 'member', 403],
  ] as const)('a caller who is %s and invites a user as %s gets %i', async (actor, role, status) => {
    const inviter = await colleague(app, owner, actor);
    const email = newEmail();
    expect((await ask(inviter, { email, role })).status).toBe(status);
    expect(await app.mailbox.take(email)).toHaveLength(status === 201 ? 1 : 0);
  });

  it('403 if the inviter is removed or demoted, or the organization suspended, before the write', async () => {
    const ends: ((admin: TestUser) => Promise<unknown>)[] = [
      (admin) => updateMembership(app, admin, { revoked_at: app.clock.now() }),
      (admin) => updateMembership(app, admin, { role: 'member' }),
      (admin) => setUser(app, admin.user_id, { status: 'disabled' }),
      (admin) => suspendOrganization(app, admin.organization_id),
    ];
    for (const end of ends) {
      const admin = await colleague(app, await founder(app), 'admin');
      await admin.browser.get('/auth/session');
      await end(admin);
      const { result, rows } = await countingRows(app, ['invitations', 'mails'], () =>
        ask(admin, { email: newEmail(), role: 'member' }),
      );
      expect(result.status, String(end)).toBe(403);
      expect(rows).toEqual({ invitations: 0, mails: 0 });
    }
  });

  it('409 for a member, also a disabled one; a removed member can be invited again', async () => {
    const member = await colleague(app, owner);
    await setUser(app, member.user_id, { status: 'disabled' });
    const refused = await ask(owner, { email: member.email.toUpperCase(), role: 'admin' });
    expect(refused.status).toBe(409);
    expect(refused.json.error).toMatchObject({ code: 'conflict', message: 'email: is already a member' });
    expect(await app.mailbox.take(member.email)).toEqual([]);
    await updateMembership(app, member, { revoked_at: app.clock.now() });
    expect((await ask(owner, { email: member.email, role: 'admin' })).status).toBe(201);
  });

  it('409 for a pending invitation, whatever its role; another organization can invite the same user', async () => {
    const { email } = await invite(app, owner);
    const { result, rows } = await countingRows(app, ['invitations', 'mails', 'audit_events'], () =>
      ask(owner, { email, role: 'admin' }),
    );
    expect(result.status).toBe(409);
    expect(result.json.error.message).toMatch(/^email: is already invited/);
    expect(rows).toEqual({ invitations: 0, mails: 0, audit_events: 0 });
    expect((await ask(await founder(app), { email, role: 'member' })).status).toBe(201);
  });

  it('after an expired, revoked or accepted invitation a new one can be created; the expired one stays expired', async () => {
    const expired = await invite(app, owner);
    await setRow(app, expired.id, { expires_at: app.clock.now() });
    const next = await invite(app, owner, { email: expired.email, role: 'admin' });
    expect(next.id).not.toBe(expired.id);
    const statuses = async () =>
      (await list(owner)).json.items
        .filter(({ email }: { email: string }) => email === expired.email)
        .map(({ status }: { status: string }) => status);
    expect(await statuses()).toEqual(['pending', 'expired']);
    expect((await revoke(owner, next.id)).status).toBe(204);
    await invite(app, owner, { email: expired.email });
    expect(await statuses()).toEqual(['pending', 'revoked', 'expired']);
  });

  it('of 8 concurrent invitations to one email one is 201; there is one row and one mail', async () => {
    const email = newEmail();
    const quick = await founder(app);
    const answers = await atOnce(8, () => ask(quick, { email, role: 'member' }));
    expect(tally(answers)).toEqual({ 201: 1, 409: 7 });
    await mailTo(email);
  });

  it('400 for an invalid body, naming the field', async () => {
    const email = newEmail();
    for (const [body, message] of [
      [{ role: 'member' }, /^email: is required/],
      [{ email }, /^role: is required/],
      [{ email, role: 'superuser' }, /^role: must be one of owner, admin, member/],
      [{ email, role: null }, /^role: /],
      [{ email: 'nobody', role: 'member' }, /^email: must be an email address/],
      [{ email: 'a\u0000b@example.com', role: 'member' }, /^email: /],
      [{ email: '\ud800@example.com', role: 'member' }, /^email: /],
      [{ email: `${'x'.repeat(400)}@example.com`, role: 'member' }, /^email: /],
      [{ email: [email], role: 'member' }, /^email: /],
      [{ email: { $ne: null }, role: 'member' }, /^email: /],
      ['[]', /JSON object/],
      ['{', /./],
    ] as const) {
      const answer = await ask(owner, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.json.error.message).toMatch(message);
    }
  });

  it('401, 403 without CSRF, and 403 in another or unknown organization come before the validation of the body', async () => {
    expect((await createBrowser(app).post(pathOf(owner), {})).status).toBe(401);
    expect((await owner.browser.post(pathOf(owner), {}, { csrf: false })).json.error.code).toBe('csrf_failed');
    const outsider = await founder(app);
    const answers = [];
    for (const organization_id of [outsider.organization_id, uuid(), 'x']) {
      answers.push(await owner.browser.post(pathOf({ organization_id }), {}));
    }
    expect(tally(answers)).toEqual({ 403: 3 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

describe('GET /orgs/:org_id/invitations', () => {
  it('the list is newest first, with the current status, for any member; it has none of another organization', async () => {
    const team = await founder(app);
    const made = [];
    for (let index = 0; index < 4; index++) made.push(await invite(app, team));
    const [expired, revoked, accepted, pending] = made.map(({ id }) => id);
    await invite(app, await founder(app));
    await revoke(team, revoked!);
    await setRow(app, accepted!, { accepted_at: app.clock.now(), closed_at: app.clock.now() });
    await setRow(app, expired!, { expires_at: app.clock.now() });
    const member = await colleague(app, team);
    const all = await list(member);
    expect(all.status).toBe(200);
    expect(all.json).toMatchObject({ total: 4, page: 1, page_size: 1000 });
    expect(all.json.items.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [pending, 'pending'],
      [accepted, 'accepted'],
      [revoked, 'revoked'],
      [expired, 'expired'],
    ]);
    expect(Object.keys(all.json.items[0]).sort()).toEqual([
      'created_at',
      'email',
      'expires_at',
      'id',
      'inviter_email',
      'organization_id',
      'role',
      'role_ids',
      'status',
    ]);
    for (const { id, status } of all.json.items) {
      const { json } = await list(member, `?status=${status}`);
      expect(json.total).toBe(1);
      expect(json.items).toMatchObject([{ id, status }]);
    }
    expect((await list(member, '?page=2&page_size=3')).json).toMatchObject({
      items: [{ id: expired }],
      total: 4,
      page: 2,
      page_size: 3,
    });
  });

  it('the list shows the email of the inviter at the time of sending, not a later one', async () => {
    const team = await founder(app);
    const admin = await colleague(app, team, 'admin');
    const { id, token } = await invite(app, admin);
    await setUser(app, admin.user_id, { email: newEmail('private') });
    expect((await preview(app, token)).json.inviter_email).toBe(admin.email);
    await updateMembership(app, admin, { revoked_at: app.clock.now() });
    expect((await list(team)).json.items).toMatchObject([{ id, inviter_email: admin.email }]);
    expect((await resend(team, id)).json.inviter_email).toBe(team.email);
    expect((await list(team)).json.items).toMatchObject([{ id, inviter_email: team.email }]);
  });

  it('an invitation expires exactly at expires_at', async () => {
    const team = await founder(app);
    const { id } = await invite(app, team);
    const status = async () => (await list(team)).json.items[0].status;
    await setRow(app, id, { expires_at: new Date(app.clock.now().getTime() + 1) });
    expect(await status()).toBe('pending');
    await setRow(app, id, { expires_at: app.clock.now() });
    expect(await status()).toBe('expired');
    // An invitation that a newer one has replaced (`closed_at`) is expired, even if the clock of a process is behind.
    await setRow(app, id, { expires_at: new Date(app.clock.now().getTime() + 1), closed_at: app.clock.now() });
    expect(await status()).toBe('expired');
  });

  it('the list: 400 for an unknown status or page; 401 without a session; 403 in another organization', async () => {
    const answer = await list(owner, '?status=gone');
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toBe('status: must be one of pending, accepted, revoked, expired');
    for (const query of ['?status=', '?status=%00', '?page=x', '?status=pending&status=expired']) {
      expect((await list(owner, query)).status, query).toBe(400);
    }
    expect((await createBrowser(app).get(pathOf(owner))).status).toBe(401);
    expect((await owner.browser.get(pathOf(await founder(app)))).status).toBe(403);
    expect((await createBrowser(app).get(pathOf(owner), bearer(owner.access_token))).status).toBe(200);
  });
});

it('invitations that ended or expired more than 90 days ago are swept, and no others', async () => {
  const team = await founder(app);
  const [open, revoked] = [await invite(app, team), await invite(app, team)];
  await revoke(team, revoked.id);
  app.clock.advance(90 * 86_400 + 1);
  await app.sweeper.pass();
  expect(await findRow(app, revoked.id)).toBeUndefined();
  expect(await findRow(app, open.id)).toBeDefined();
  app.clock.advance(7 * 86_400);
  await app.sweeper.pass();
  expect(await findRow(app, open.id)).toBeUndefined();
  expect(await findMembership(app, team)).toBeDefined();
});
