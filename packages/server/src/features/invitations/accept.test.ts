import { LIMITS } from '@gatehouse/contract';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  atOnce,
  bearer,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, findUser, setUser, suspendOrganization, untilBlocked } from '../../../test/records.ts';
import { colleague, findMembership, founder, insertMembership, updateMembership } from '../../../test/team.ts';
import { randomToken } from '../../platform/crypto/tokens.ts';
import {
  acceptAs,
  acceptNew,
  eventsOf,
  findRow,
  type Invited,
  invite,
  preview,
  resend,
  revoke,
  setRow,
} from './invitation-fixture.ts';

const app = useTestApp();
let owner: TestUser;
beforeAll(async () => {
  owner = await founder(app);
});

const membershipOf = (account: TestUser) => findMembership(app, { ...account, organization_id: owner.organization_id });

describe('§4.8 GET /auth/invitations/preview', () => {
  it('a preview is 200 with the fields of §2.8 and no others, and sets no cookies', async () => {
    const { email, token, expires_at } = await invite(app, owner, { role: 'admin' });
    const answer = await preview(app, token);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      organization_name: 'Example',
      role: 'admin',
      inviter_email: owner.email,
      email,
      expires_at,
    });
    expect(answer.json.expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.set_cookies).toEqual([]);
  });

  it('a preview consumes nothing and ignores credentials', async () => {
    const { token } = await invite(app, owner);
    for (let index = 0; index < 3; index++) expect((await preview(app, token)).status).toBe(200);
    const path = `/auth/invitations/preview?token=${token}`;
    expect((await createBrowser(app).get(path, bearer('x.y.z'))).status).toBe(200);
  });

  it('a preview is 400 for a missing or malformed token', async () => {
    const get = (query: string) => createBrowser(app).get(`/auth/invitations/preview${query}`);
    for (const query of ['', '?token=', '?token=%00', '?token=a%20b', '?token=a&token=b']) {
      const answer = await get(query);
      expect(answer.status, query).toBe(400);
      expect(answer.json.error.message).toMatch(/^token: /);
    }
  });
});

describe('an invitation that has ended or is invalid', () => {
  type End = [string, string, (invited: Invited, inviter: TestUser) => Promise<unknown>];
  const ends: End[] = [
    ['accepted', 'has been accepted', ({ id }) => setRow(app, id, { accepted_at: new Date(), closed_at: new Date() })],
    ['revoked', 'has been revoked', ({ id }, inviter) => revoke(inviter, id)],
    ['expired, at that very moment', 'has expired', ({ id }) => setRow(app, id, { expires_at: app.clock.now() })],
    [
      'of a suspended organization',
      'is suspended',
      (_, { organization_id }) => suspendOrganization(app, organization_id),
    ],
    [
      'of a removed inviter',
      'ask for a new invitation',
      (_, inviter) => updateMembership(app, inviter, { revoked_at: new Date() }),
    ],
    [
      'of an inviter demoted to member',
      'ask for a new invitation',
      (_, inviter) => updateMembership(app, inviter, { role: 'member' }),
    ],
    [
      'of a disabled inviter',
      'ask for a new invitation',
      (_, { user_id }) => setUser(app, user_id, { status: 'disabled' }),
    ],
    [
      'of a deleted inviter',
      'ask for a new invitation',
      (_, { user_id }) => setUser(app, user_id, { status: 'deleted' }),
    ],
  ];

  it.each(ends)('invitation %s: 409 at preview and accept, and nothing is written', async (_name, message, end) => {
    const inviter = await colleague(app, await founder(app), 'admin');
    const invited = await invite(app, inviter);
    await end(invited, inviter);
    const { result, rows } = await countingRows(app, ['users', 'memberships', 'sessions', 'audit_events'], async () => [
      await preview(app, invited.token),
      await acceptNew(app, invited.token),
      await acceptNew(app, invited.token, { password: undefined }),
      await acceptAs(owner, invited.token),
    ]);
    expect(tally(result)).toEqual({ 409: 4 });
    for (const { json } of result) {
      expect(json.error.code).toBe('conflict');
      expect(json.error.message).toContain(message);
    }
    expect(rows).toEqual({ users: 0, memberships: 0, sessions: 0, audit_events: 0 });
  });

  it('an invitation as owner is invalid once its inviter is an admin, until an owner resends it', async () => {
    const second = await colleague(app, owner, 'owner');
    const { id, token, email } = await invite(app, second, { role: 'owner' });
    await updateMembership(app, second, { role: 'admin' });
    expect((await preview(app, token)).status).toBe(409);
    expect((await acceptNew(app, token)).status).toBe(409);
    expect((await resend(owner, id)).status).toBe(200);
    const next = await app.mailbox.takeToken(email, 'accept-invitation');
    expect((await acceptNew(app, next)).json.capabilities.role).toBe('owner');
  });

  it('404 for an unknown token, with or without a session', async () => {
    for (const answer of [
      await preview(app, randomToken()),
      await acceptNew(app, randomToken()),
      await acceptAs(owner, uuid()),
      await acceptNew(app, "'; drop table invitations --".replaceAll(' ', '_')),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.json.error.code).toBe('not_found');
    }
  });
});

describe('POST /auth/invitations/accept with a session', () => {
  it('accepting in a session of the invited email is 200: a member with the role, email verified, audited; the session stays in its organization', async () => {
    const account = await founder(app);
    const { id, token, email } = await invite(app, owner, { email: account.email, role: 'admin' });
    const answer = await acceptAs(account, token, { password: 'some other password', display_name: 'Somebody' });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'accepted', organization_id: owner.organization_id, role: 'admin' });
    expect(answer.set_cookies).toEqual([]);
    expect(await membershipOf(account)).toMatchObject({ role: 'admin', joined_at: app.clock.now(), revoked_at: null });
    expect(await findRow(app, id)).toMatchObject({ accepted_at: app.clock.now(), closed_at: app.clock.now() });
    expect(await findUser(app, account.user_id)).toMatchObject({
      email_verified_at: app.clock.now(),
      display_name: null,
      password_hash: null,
    });
    const { user } = (await account.browser.get('/auth/session')).json;
    expect(user).toMatchObject({ organization_id: account.organization_id, email, email_verified: true });
    expect((await eventsOf(app, { id })).slice(1)).toMatchObject([
      {
        action: 'invitation.accepted',
        actor_id: account.user_id,
        organization_id: owner.organization_id,
        resource_type: 'invitation',
        metadata: { role: 'admin', new_user: false },
      },
    ]);
    expect(await auditOf(app, { actor_id: account.user_id, action: 'auth.email.verified' })).toHaveLength(1);
    const { organization_id } = owner;
    expect((await account.browser.post('/auth/organization', { organization_id })).json.capabilities.role).toBe(
      'admin',
    );
    const again = await acceptAs(account, token);
    expect(again.status).toBe(409);
  });

  it('a Bearer token is accepted; a cookie requires CSRF; an invalid credential is treated as none', async () => {
    const [first, second] = [await founder(app), await founder(app)];
    const one = await invite(app, owner, { email: first.email });
    const { token } = one;
    const refused = await first.browser.post('/auth/invitations/accept', { token }, { csrf: false });
    expect(refused.json.error.code).toBe('csrf_failed');
    for (const headers of [{ authorization: 'Bearer x.y.z' }, { cookie: 'service_at=x' }] as Record<string, string>[]) {
      const answer = await createBrowser(app).post('/auth/invitations/accept', { token }, { headers });
      expect(answer.status).toBe(401);
    }
    const path = '/auth/invitations/accept';
    expect((await createBrowser(app).post(path, { token }, bearer(first.access_token))).status).toBe(200);
    const two = await invite(app, owner, { email: second.email });
    await second.browser.post('/auth/logout');
    expect((await createBrowser(app).post(path, { token: two.token }, bearer(second.access_token))).status).toBe(401);
  });

  it('a session of another email: 403, and nothing is written; 409 and 404 are checked before', async () => {
    const [account, outsider] = [await founder(app), await founder(app)];
    for (const email of [account.email, newEmail()]) {
      const invited = await invite(app, owner, { email });
      const { result, rows } = await countingRows(app, ['users', 'memberships', 'audit_events'], () =>
        acceptAs(outsider, invited.token, { password: PASSWORD }),
      );
      expect(result.status).toBe(403);
      expect(result.json.error.code).toBe('forbidden');
      expect(rows).toEqual({ users: 0, memberships: 0, audit_events: 0 });
      expect((await preview(app, invited.token)).status).toBe(200);
    }
  });

  it('the current email of the account is compared, not the cached one of the session', async () => {
    const account = await founder(app);
    const { email, token } = await invite(app, owner);
    await account.browser.get('/auth/session');
    await setUser(app, account.user_id, { email });
    expect((await acceptAs(account, token)).status).toBe(200);
    const next = await invite(app, await founder(app), { email: newEmail() });
    const other = await founder(app);
    const theirs = await invite(app, owner, { email: other.email });
    await setUser(app, other.user_id, { email: newEmail() });
    expect((await acceptAs(other, theirs.token)).status).toBe(403);
    expect((await acceptAs(other, next.token)).status).toBe(403);
  });

  it('a member keeps their role, and the invitation is closed', async () => {
    const account = await founder(app);
    const { id, token } = await invite(app, owner, { email: account.email, role: 'member' });
    const joined_at = new Date('2029-01-01T00:00:00Z');
    await insertMembership(
      app,
      { organization_id: owner.organization_id, user_id: account.user_id },
      { role: 'owner', joined_at },
    );
    const answer = await acceptAs(account, token);
    expect(answer.json).toEqual({ status: 'accepted', organization_id: owner.organization_id, role: 'owner' });
    expect(await membershipOf(account)).toMatchObject({ role: 'owner', joined_at, revoked_at: null });
    expect((await findRow(app, id))!.closed_at).not.toBeNull();
  });

  it('a removed member joins again with the role of the invitation', async () => {
    const account = await founder(app);
    const membershipKey = { organization_id: owner.organization_id, user_id: account.user_id };
    await insertMembership(app, membershipKey, { role: 'owner' });
    await updateMembership(app, membershipKey, { revoked_at: app.clock.now() });
    const { token } = await invite(app, owner, { email: account.email, role: 'member' });
    expect((await acceptAs(account, token)).json.role).toBe('member');
    expect(await membershipOf(account)).toMatchObject({ role: 'member', joined_at: app.clock.now(), revoked_at: null });
  });

  it('of ten concurrent requests to accept one invitation one is 200, and one audit row is written', async () => {
    const account = await founder(app);
    const { id, token } = await invite(app, owner, { email: account.email });
    expect(tally(await atOnce(10, () => acceptAs(account, token)))).toEqual({ 200: 1, 409: 9 });
    expect(await eventsOf(app, { id })).toHaveLength(2);
  });

  it.each([
    ['revoked', 409, { revoked_at: new Date(), closed_at: new Date() }],
    ['accepted', 409, { accepted_at: new Date(), closed_at: new Date() }],
    ['resent', 404, { token_hash: Buffer.alloc(32) }],
  ] as const)('an invitation that is concurrently %s: %i', async (_name, status, changes) => {
    const account = await founder(app);
    const { id, token } = await invite(app, owner, { email: account.email });
    const blocker = await app.deps.db.startTransaction().execute();
    await blocker.updateTable('invitations').set(changes).where('id', '=', id).execute();
    const asked = acceptAs(account, token);
    await untilBlocked(app, 1);
    await blocker.commit().execute();
    expect((await asked).status).toBe(status);
    expect(await membershipOf(account)).toBeUndefined();
  });

  it.each([
    ['inviter is disabled', 'users', { status: 'disabled' }],
    ['inviter is removed', 'memberships', { revoked_at: new Date() }],
    ['inviter is demoted', 'memberships', { role: 'member' }],
    ['organization is suspended', 'organizations', { suspended_at: new Date() }],
  ] as const)('409 if the %s concurrently', async (_name, table, changes) => {
    const inviter = await colleague(app, await founder(app), 'admin');
    const account = await founder(app);
    const { token } = await invite(app, inviter, { email: account.email });
    const { organization_id, user_id } = inviter;
    const blocker = await app.deps.db.startTransaction().execute();
    const key = {
      users: { id: user_id },
      memberships: { organization_id, user_id },
      organizations: { id: organization_id },
    };
    await blocker
      .updateTable(table as 'users')
      .set(changes as object)
      .where((eb) => eb.and(key[table] as object))
      .execute();
    const asked = acceptAs(account, token);
    await untilBlocked(app, 1);
    await blocker.commit().execute();
    expect((await asked).status).toBe(409);
    expect(await findMembership(app, { organization_id, user_id: account.user_id })).toBeUndefined();
  });
});

describe('POST /auth/invitations/accept without a session', () => {
  it('without a session, for an email that has an account: 401, whatever is sent; password, name and sessions are unchanged', async () => {
    const account = await registerUser(app);
    await app.mailbox.take(account.email);
    const { token } = await invite(app, owner, { email: account.email });
    const before = await findUser(app, account.user_id);
    const { result, rows } = await countingRows(app, ['users', 'memberships', 'sessions', 'audit_events'], async () => [
      await acceptNew(app, token, { password: 'an attacker’s password', display_name: 'Attacker' }),
      await acceptNew(app, token, { password: account.password }),
      await acceptNew(app, token, { password: undefined }),
    ]);
    expect(tally(result)).toEqual({ 401: 3 });
    for (const { json, set_cookies } of result) {
      expect(json.error.code).toBe('authentication_required');
      expect(set_cookies).toEqual([]);
    }
    expect(rows).toEqual({ users: 0, memberships: 0, sessions: 0, audit_events: 0 });
    expect(await findUser(app, account.user_id)).toEqual(before);
    expect((await acceptAs(account, token)).status).toBe(200);
  });

  it('without a session, for a disabled account: 401', async () => {
    const account = await founder(app);
    const { token } = await invite(app, owner, { email: account.email });
    await setUser(app, account.user_id, { status: 'disabled' });
    expect((await acceptNew(app, token)).status).toBe(401);
    expect((await acceptAs(account, token)).status).toBe(401);
    expect(await membershipOf(account)).toBeUndefined();
  });
});

describe('a user with the maximum number of memberships', () => {
  it('409 until they leave one; accepting for a current membership still works', async () => {
    const account = await registerUser(app);
    const { user_id, email } = account;
    // Inserts one membership less than the maximum, because the user also has their own organization.
    await sql`with made as (
        insert into organizations (id, name, slug, created_at)
        select gen_random_uuid(), 'Many', 'many-' || n, now() from generate_series(2, ${LIMITS.membershipsPerUser}) as n
        returning id
      )
      insert into memberships (organization_id, user_id, role, joined_at)
      select id, ${user_id}::uuid, 'member', now() from made`.execute(app.deps.db);
    const { token } = await invite(app, owner, { email });
    const { result, rows } = await countingRows(app, ['memberships', 'audit_events'], () => acceptAs(account, token));
    expect([result.status, result.json.error.code]).toEqual([409, 'conflict']);
    expect(rows).toEqual({ memberships: 0, audit_events: 0 });
    await updateMembership(app, account, { revoked_at: app.clock.now() });
    expect((await acceptAs(account, token)).status).toBe(200);
  });
});
