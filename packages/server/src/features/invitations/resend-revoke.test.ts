import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { atOnce, createBrowser, newEmail, type TestUser, tally } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { countingRows } from '../../../test/records.ts';
import { colleague, founder, insertMembership, updateMembership } from '../../../test/team.ts';
import {
  acceptNew,
  ask,
  eventsOf,
  findRow,
  invite,
  list,
  pathOf,
  preview,
  resend,
  revoke,
  setRow,
} from './invitation-fixture.ts';

const app = useTestApp();
let owner: TestUser;
let admin: TestUser;
let member: TestUser;
beforeAll(async () => {
  owner = await founder(app);
  admin = await colleague(app, owner, 'admin');
  member = await colleague(app, owner);
});

const takeToken = (email: string) => app.mailbox.takeToken(email, 'accept-invitation');
const end = (id: string, what: 'accepted_at' | 'revoked_at') =>
  setRow(app, id, { [what]: app.clock.now(), closed_at: app.clock.now() });

describe('POST /orgs/:org_id/invitations/:id/resend', () => {
  it('a resend returns the invitation: a new token, valid for seven days; the old token is unknown; audited', async () => {
    const invited = await invite(app, owner);
    app.clock.advance(60);
    const answer = await resend(admin, invited.id.toUpperCase());
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      id: invited.id,
      organization_id: owner.organization_id,
      email: invited.email,
      role: 'member',
      status: 'pending',
      inviter_email: admin.email,
      created_at: invited.created_at,
      expires_at: new Date(app.clock.now().getTime() + 7 * 86_400_000).toISOString(),
      role_ids: [],
    });
    const token = await takeToken(invited.email);
    expect(token).not.toBe(invited.token);
    expect((await preview(app, invited.token)).status).toBe(404);
    expect((await acceptNew(app, invited.token)).status).toBe(404);
    expect((await preview(app, token)).json).toMatchObject({ inviter_email: admin.email });
    expect(await eventsOf(app, invited)).toMatchObject([
      { action: 'invitation.created', actor_id: owner.user_id },
      { action: 'invitation.resent', actor_id: admin.user_id, metadata: { role: 'member' } },
    ]);
    expect((await list(owner)).json.items[0]).toEqual(answer.json);
  });

  it('an expired invitation becomes pending again', async () => {
    const invited = await invite(app, owner);
    await setRow(app, invited.id, { expires_at: app.clock.now() });
    expect((await preview(app, invited.token)).status).toBe(409);
    expect((await resend(owner, invited.id)).json.status).toBe('pending');
    expect((await preview(app, await takeToken(invited.email))).status).toBe(200);
  });

  it('a resend is 409 while a newer invitation is pending, whose token stays valid; then 200', async () => {
    const first = await invite(app, owner);
    await setRow(app, first.id, { expires_at: app.clock.now() });
    const second = await invite(app, owner, { email: first.email });
    const before = await findRow(app, first.id);
    const { result, rows } = await countingRows(app, ['mails', 'audit_events'], () => resend(owner, first.id));
    expect(result.status).toBe(409);
    expect(result.json.error.code).toBe('conflict');
    expect(rows).toEqual({ mails: 0, audit_events: 0 });
    expect(await findRow(app, first.id)).toEqual(before);
    await revoke(owner, second.id);
    expect((await resend(owner, first.id)).status).toBe(200);
  });

  it.each(['accepted_at', 'revoked_at'] as const)('a resend is 409 for an ended invitation: %s', async (what) => {
    const { id, email } = await invite(app, owner);
    await end(id, what);
    expect((await resend(owner, id)).status).toBe(409);
    expect(await app.mailbox.take(email)).toEqual([]);
  });

  it('a resend is 409 if the user has become a member in another way', async () => {
    const user = await founder(app);
    const { id } = await invite(app, owner, { email: user.email });
    await insertMembership(app, { organization_id: owner.organization_id, user_id: user.user_id });
    expect((await resend(owner, id)).status).toBe(409);
    expect(await app.mailbox.take(user.email)).toEqual([]);
  });

  it('five concurrent resends get different tokens; only the last one is valid, and queued mails with the others are dropped', async () => {
    const { id, email } = await invite(app, owner);
    expect(tally(await atOnce(5, () => resend(owner, id)))).toEqual({ 200: 5 });
    const tokens = (await app.mailbox.take(email)).map(({ text }) => /token=([\w-]+)$/m.exec(text)![1]!);
    expect(new Set(tokens).size).toBe(tokens.length);
    const answers = [];
    for (const token of tokens) answers.push(await preview(app, token));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(tokens.length - 1).fill(404)]);
  });
});

describe('DELETE /orgs/:org_id/invitations/:id', () => {
  it('a revocation is 204, also when repeated, and audited once; the link reports the invitation as revoked', async () => {
    const invited = await invite(app, owner);
    expect(await revoke(admin, invited.id.toUpperCase())).toMatchObject({ status: 204, text: '' });
    expect((await revoke(owner, invited.id)).status).toBe(204);
    expect((await eventsOf(app, invited)).slice(1)).toMatchObject([
      { action: 'invitation.revoked', actor_id: admin.user_id, resource_type: 'invitation', metadata: {} },
    ]);
    for (const answer of [await preview(app, invited.token), await acceptNew(app, invited.token)]) {
      expect(answer.status).toBe(409);
      expect(answer.json.error.message).toBe('the invitation has been revoked');
    }
  });

  it('an expired invitation can be revoked; 409 for an accepted one', async () => {
    const expired = await invite(app, owner);
    await setRow(app, expired.id, { expires_at: app.clock.now() });
    expect((await revoke(owner, expired.id)).status).toBe(204);
    const accepted = await invite(app, owner);
    await end(accepted.id, 'accepted_at');
    const answer = await revoke(owner, accepted.id);
    expect(answer.status).toBe(409);
    expect(answer.json.error.code).toBe('conflict');
    expect((await findRow(app, accepted.id))!.revoked_at).toBeNull();
  });

  it('ten concurrent revocations are audited once', async () => {
    const invited = await invite(app, owner);
    expect(tally(await atOnce(10, () => revoke(owner, invited.id)))).toEqual({ 204: 10 });
    expect(await eventsOf(app, invited)).toHaveLength(2);
  });
});

describe.each([
  ['resend', resend, 200],
  ['revoke', revoke, 204],
] as const)('permission to %s', (_name, act, done) => {
  it('403 for an admin if the invited role is owner, and always for a member', async () => {
    const [high, low] = [await invite(app, owner, { role: 'owner' }), await invite(app, owner, { role: 'admin' })];
    expect((await act(admin, high.id)).status).toBe(403);
    expect((await act(member, low.id)).status).toBe(403);
    expect(await eventsOf(app, high)).toHaveLength(1);
    expect((await preview(app, high.token)).status).toBe(200);
    expect((await act(admin, low.id)).status).toBe(done);
    expect((await act(owner, high.id)).status).toBe(done);
  });

  it('the rank of the caller is checked again in the transaction', async () => {
    const behind = await colleague(app, owner, 'owner');
    const { id } = await invite(app, owner, { role: 'owner' });
    await behind.browser.get('/auth/session');
    for (const changes of [{ role: 'admin' }, { role: 'member' }, { role: 'owner', revoked_at: new Date() }] as const) {
      await updateMembership(app, behind, changes);
      expect((await act(behind, id)).status).toBe(403);
    }
    expect(await eventsOf(app, { id })).toHaveLength(1);
  });

  it('404 for an id of another organization, an unknown or a malformed id', async () => {
    const outsider = await founder(app);
    const foreign = await invite(app, outsider);
    for (const id of [foreign.id, uuid(), 'nothing', '%00']) {
      const answer = await act(owner, id);
      expect(answer.status, id).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
    expect(await eventsOf(app, foreign)).toHaveLength(1);
    expect((await preview(app, foreign.token)).status).toBe(200);
  });

  it('403 in another organization, whether or not the invitation belongs to it', async () => {
    const outsider = await founder(app);
    const [own, foreign] = [await invite(app, owner), await invite(app, outsider)];
    const at = (id: string) => {
      const path = pathOf(outsider, act === resend ? `/${id}/resend` : `/${id}`);
      return act === resend ? owner.browser.post(path) : owner.browser.delete(path);
    };
    for (const { id } of [own, foreign, { id: uuid() }]) expect((await at(id)).status).toBe(403);
    for (const { token } of [own, foreign]) expect((await preview(app, token)).status).toBe(200);
  });

  it('401 without a session, 403 without CSRF', async () => {
    const { id } = await invite(app, owner);
    const send = (browser: TestUser['browser'], csrf: boolean) =>
      act === resend
        ? browser.post(pathOf(owner, `/${id}/resend`), undefined, { csrf })
        : browser.delete(pathOf(owner, `/${id}`), { csrf });
    expect((await send(createBrowser(app), true)).status).toBe(401);
    expect((await send(owner.browser, false)).json.error.code).toBe('csrf_failed');
  });
});

describe('a mail that is still queued', () => {
  it('a queued mail is dropped with its token: on revocation, and when another token replaces it', async () => {
    // Nothing listens at this SMTP address, so queued mails wait for the next attempt.
    const slow = await startTestApp({ environment: { SMTP_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: 'id@example.com' } });
    const host = await founder(slow);
    const ids = [];
    for (const email of [newEmail('revoked'), newEmail('resent'), newEmail('kept')]) {
      const { status, json } = await ask(host, { email, role: 'member' });
      expect(status).toBe(201);
      ids.push(json.id);
    }
    slow.clock.advance(60);
    expect((await revoke(host, ids[0]!)).status).toBe(204);
    expect((await resend(host, ids[1]!)).status).toBe(200);
    slow.clock.advance(3600);
    const mails = () => slow.deps.db.selectFrom('mails').select(['state', 'sealed']).execute();
    const states = async () => {
      slow.deps.mail.wake();
      return (await mails()).map(({ state, sealed }) => `${state}${sealed === null ? ', wiped' : ''}`).sort();
    };
    await expect.poll(states).toEqual(['expired, wiped', 'expired, wiped', 'queued', 'queued']);
    await slow.close();
  });
});
