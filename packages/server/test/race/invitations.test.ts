import { beforeEach, describe, expect, it } from 'vitest';
import { bearer, createBrowser, newEmail, PASSWORD, registerUser, type TestUser, tally } from '../browser.ts';
import { auditOf, knowInvitation, liveSessions } from '../records.ts';
import { findMembership, teammate } from '../team.ts';
import { ROUNDS, useProcesses } from './processes-fixture.ts';

const replicas = useProcesses();
let owner: TestUser;
// A campaign repeats each test: one organization would exceed its limit of invitations.
beforeEach(async () => {
  owner = await registerUser(here());
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;

const pathOf = (rest = '') => `/orgs/${owner.organization_id}/invitations${rest}`;
const ask = (url: string, email: string, actor = owner) =>
  createBrowser(url).post(pathOf(), { email, role: 'member' }, bearer(actor.access_token));

/** Creates an invitation whose token is known without waiting for the mail. */
async function invite(
  email = newEmail('invited'),
  inviter = owner,
): Promise<{ id: string; email: string; token: string }> {
  const { json } = await ask(here(), email, inviter);
  const token = await knowInvitation(replicas.database, json.id);
  return { id: json.id, email, token };
}

const acceptNew = (url: string, token: string) =>
  createBrowser(url).post('/auth/invitations/accept', { token, password: PASSWORD });
const acceptAs = (url: string, account: TestUser, token: string) =>
  createBrowser(url).post('/auth/invitations/accept', { token }, bearer(account.access_token));
const revoke = (url: string, id: string) => createBrowser(url).delete(pathOf(`/${id}`), bearer(owner.access_token));
const resend = (url: string, id: string) =>
  createBrowser(url).post(pathOf(`/${id}/resend`), undefined, bearer(owner.access_token));

const findInvitation = (id: string) =>
  replicas.database.db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const findUsers = (email: string) =>
  replicas.database.db.selectFrom('users').selectAll().where('email', '=', email).execute();
const membershipOf = (user_id: string) =>
  findMembership(replicas.database, { organization_id: owner.organization_id, user_id });
const actionsOn = async (id: string) =>
  (await auditOf(replicas.database, { resource_id: id })).map(({ action }) => action);

describe('accepting an invitation on two servers', () => {
  it('eight concurrent requests of a new user create one account, one membership and one session', async () => {
    const { id, email, token } = await invite();
    const answers = await replicas.many(8, (url) => acceptNew(url, token));
    expect(tally(answers)).toEqual({ 200: 1, 409: 7 });
    const [user, ...others] = await findUsers(email);
    expect(others).toEqual([]);
    expect(await membershipOf(user!.id)).toMatchObject({ role: 'member', revoked_at: null });
    expect(await liveSessions(replicas.database, user!.id)).toHaveLength(1);
    expect(await actionsOn(id)).toEqual(['invitation.created', 'invitation.accepted']);
  });

  it('of 20 concurrent requests of a signed-in user to accept one invitation, one succeeds', async () => {
    const account = await registerUser(there());
    const { id, token } = await invite(account.email);
    const answers = await replicas.many(20, (url) => acceptAs(url, account, token));
    expect(tally(answers)).toEqual({ 200: 1, 409: 19 });
    expect(await actionsOn(id)).toEqual(['invitation.created', 'invitation.accepted']);
  });

  it('eight concurrent requests for a user without a membership create one membership and no session', async () => {
    const { database } = replicas;
    const { user_id, email } = await registerUser(there());
    await database.db.updateTable('users').set({ email_verified_at: new Date() }).where('id', '=', user_id).execute();
    await database.db
      .updateTable('memberships')
      .set({ revoked_at: new Date() })
      .where('user_id', '=', user_id)
      .execute();
    const { id, token } = await invite(email);
    const before = await liveSessions(database, user_id);
    const answers = await replicas.many(8, (url) => acceptNew(url, token));
    expect(tally(answers)).toEqual({ 200: 1, 409: 7 });
    expect(await membershipOf(user_id)).toMatchObject({ role: 'member', revoked_at: null });
    expect(await liveSessions(database, user_id)).toEqual(before);
    expect(await actionsOn(id)).toEqual(['invitation.created', 'invitation.accepted']);
  });

  it('accepting that races a revocation: exactly one succeeds, and there is a member only if accepting did', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await registerUser(here());
      const { id, token } = await invite(account.email);
      const [accepted, revoked] = await Promise.all([acceptAs(there(), account, token), revoke(here(), id)]);
      const row = await findInvitation(id);
      const won = accepted.status === 200;
      expect([accepted.status, revoked.status]).toEqual(won ? [200, 409] : [409, 204]);
      expect(row.accepted_at !== null).toBe(won);
      expect(row.revoked_at === null).toBe(won);
      expect((await membershipOf(account.user_id)) !== undefined).toBe(won);
      expect(await actionsOn(id)).toEqual(['invitation.created', won ? 'invitation.accepted' : 'invitation.revoked']);
    }
  });

  it('accepting that races a resend: either accepted and not resent, or resent and the old token unknown', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await registerUser(here());
      const { id, token } = await invite(account.email);
      const [accepted, sent] = await Promise.all([acceptAs(there(), account, token), resend(here(), id)]);
      const won = accepted.status === 200;
      expect([accepted.status, sent.status]).toEqual(won ? [200, 409] : [404, 200]);
      expect((await findInvitation(id)).accepted_at !== null).toBe(won);
      expect((await membershipOf(account.user_id)) !== undefined).toBe(won);
    }
  });

  it('accepting that races the removal of the inviter: accepted before the removal, or not at all', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const admin = await teammate(here(), replicas.database, owner, 'admin');
      const { email, token, id } = await invite(newEmail(), admin);
      const path = `/orgs/${owner.organization_id}/members/${admin.user_id}`;
      const [accepted, removed] = await Promise.all([
        acceptNew(there(), token),
        createBrowser(here()).delete(path, bearer(owner.access_token)),
      ]);
      expect(removed.status).toBe(204);
      expect([200, 409]).toContain(accepted.status);
      expect(await findUsers(email)).toHaveLength(accepted.status === 200 ? 1 : 0);
      expect((await findInvitation(id)).accepted_at !== null).toBe(accepted.status === 200);
    }
  });

  it('accepting that races a registration with the same email creates one account', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { email, token } = await invite();
      const body = { email, password: PASSWORD, organization_name: 'Own' };
      const [accepted, registered] = await Promise.all([
        acceptNew(there(), token),
        createBrowser(here()).post('/auth/register', body),
      ]);
      expect([accepted.status, registered.status]).toEqual(accepted.status === 200 ? [200, 409] : [401, 201]);
      expect(await findUsers(email)).toHaveLength(1);
    }
  });

  it('two users who accept invitations of each other do not deadlock', async () => {
    const [one, two] = [await registerUser(here()), await registerUser(there())];
    const tokens = [];
    for (const [from, to] of [
      [one, two],
      [two, one],
    ] as const) {
      const { json } = await createBrowser(here()).post(
        `/orgs/${from.organization_id}/invitations`,
        { email: to.email, role: 'admin' },
        bearer(from.access_token),
      );
      tokens.push(await knowInvitation(replicas.database, json.id));
    }
    const answers = await Promise.all([acceptAs(here(), two, tokens[0]!), acceptAs(there(), one, tokens[1]!)]);
    expect(tally(answers)).toEqual({ 200: 2 });
  });
});

describe('inviting on two servers', () => {
  it('of 20 concurrent invitations of one email one is 201, and there is one row', async () => {
    const email = newEmail();
    const answers = await replicas.many(20, (url) => ask(url, email));
    expect(tally(answers)).toEqual({ 201: 1, 409: 19 });
    const { db } = replicas.database;
    expect(await db.selectFrom('invitations').select('id').where('email', '=', email).execute()).toHaveLength(1);
  });

  it('20 concurrent resends: as many succeed as the limit allows', async () => {
    const { id } = await invite();
    expect(tally(await replicas.many(20, (url) => resend(url, id)))).toEqual({ 200: 9, 429: 11 });
  });

  it('of 20 concurrent invitations that replace an expired one, one is 201', async () => {
    const { id, email } = await invite();
    const { db } = replicas.database;
    await db
      .updateTable('invitations')
      .set({ expires_at: new Date(0) })
      .where('id', '=', id)
      .execute();
    expect(tally(await replicas.many(20, (url) => ask(url, email)))).toEqual({ 201: 1, 409: 19 });
    expect((await findInvitation(id)).closed_at).not.toBeNull();
  });

  it('inviting that races an acceptance: a member is not invited', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const account = await registerUser(here());
      const { token, email } = await invite(account.email);
      const [accepted, ...asked] = await Promise.all([
        acceptAs(here(), account, token),
        ...Array.from({ length: 4 }, () => ask(there(), email)),
      ]);
      expect(accepted.status).toBe(200);
      expect(tally(asked)).toEqual({ 409: 4 });
    }
  });
});
