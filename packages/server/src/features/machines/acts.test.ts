import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, knowInvitation, setUser, untilBlocked } from '../../../test/records.ts';
import { colleague, founder } from '../../../test/team.ts';
import { insertInvitation } from '../../domain/invitations/queries.ts';
import { after } from '../../platform/clock.ts';
import { createRole, declare } from '../roles/roles-fixture.ts';
import { accountsPath, exchange, machine, sendAs } from './machines-fixture.ts';

const app = useTestApp();
beforeAll(() => declare(app, 'invoices.read'));

const PERMISSIONS = ['members.invite', 'members.remove', 'members.update_role', 'roles.manage', 'machines.manage'];

const setUp = async (key: { scopes?: string[] } = {}) => {
  const owner = await founder(app);
  const role = await createRole(owner, { name: 'Manager', permissions: PERMISSIONS });
  const made = await machine(owner, { role_ids: [role.id], ...key });
  const org = `/orgs/${owner.organization_id}`;
  const send = (method: string, path: string, body?: object) =>
    sendAs(app, made.key, method, org + path, body && { body });
  return { owner, role, ...made, org, send };
};

describe('invitations by a service account', () => {
  it('have no inviter_email; the mail names the service account; the audit row has it as the actor, of type api_key', async () => {
    const { owner, account, send } = await setUp();
    const email = newEmail('invited');
    const { status, json } = await send('POST', '/invitations', { email, role: 'member' });
    expect([status, json.inviter_email]).toEqual([201, '']);
    expect((await app.mailbox.take(email))[0]!.text).toContain('The service account “Import” (not verified) invites');
    expect(await auditOf(app, { resource_id: json.id })).toMatchObject([
      {
        action: 'invitation.created',
        actor_type: 'api_key',
        actor_id: account.id,
        organization_id: owner.organization_id,
      },
    ]);
    expect((await send('POST', `/invitations/${json.id}/resend`)).json.inviter_email).toBe('');
    const token = await knowInvitation(app, json.id);
    const browser = createBrowser(app);
    expect((await browser.get(`/auth/invitations/preview?token=${token}`)).json.inviter_email).toBe('');
    expect((await browser.post('/auth/invitations/accept', { token, password: PASSWORD })).status).toBe(200);
  });

  it('the mail says whether the creator of the service account has a verified email, and shows its name without links', async () => {
    const { owner, account, send } = await setUp();
    await owner.browser.patch(accountsPath(owner, account.id), { name: 'evil.example' });
    for (const [verified, sender] of [
      [null, /^The service account “[^”]+” \(not verified\) invites you/m],
      [app.clock.now(), /^The service account “[^”]+” invites you/m],
    ] as const) {
      await setUser(app, owner.user_id, { email_verified_at: verified });
      const email = newEmail();
      expect((await send('POST', '/invitations', { email, role: 'member' })).status).toBe(201);
      const [{ text } = { text: '' }] = await app.mailbox.take(email);
      expect(text).toMatch(sender);
      expect(text).not.toContain('evil.example');
    }
  });

  it('are no longer valid once the service account is disabled', async () => {
    const { owner, account, send } = await setUp();
    const { json } = await send('POST', '/invitations', { email: newEmail(), role: 'member' });
    const token = await knowInvitation(app, json.id);
    await owner.browser.patch(accountsPath(owner, account.id), { disabled: true });
    expect((await createBrowser(app).post('/auth/invitations/accept', { token, password: PASSWORD })).status).toBe(409);
  });
});

describe('a service account has the rank of a member', () => {
  it('a service account cannot invite, change or remove an admin or owner, nor make a member one', async () => {
    const { owner, send } = await setUp();
    const admin = await colleague(app, owner, 'admin');
    const member = await colleague(app, owner);
    const statuses = [
      await send('POST', '/invitations', { email: newEmail(), role: 'admin' }),
      await send('PATCH', `/members/${member.user_id}`, { role: 'admin' }),
      await send('PATCH', `/members/${admin.user_id}`, { role: 'member' }),
      await send('PUT', `/members/${admin.user_id}/roles`, { role_ids: [] }),
      await send('DELETE', `/members/${admin.user_id}`),
      await send('DELETE', `/members/${owner.user_id}`),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await send('DELETE', `/members/${member.user_id}`)).status).toBe(204);
  });

  it('a service account can assign only roles whose permissions its key has', async () => {
    const { owner, role, send } = await setUp({ scopes: ['roles.manage', 'members.list'] });
    const member = await colleague(app, owner);
    const give = (id: string) => send('PUT', `/members/${member.user_id}/roles`, { role_ids: [id] });
    expect((await give(role.id)).status).toBe(403);
    const small = await createRole(owner, { name: 'Small', permissions: ['members.list'] });
    expect((await give(small.id)).status).toBe(200);
    const { status } = await send('POST', '/roles', { name: 'X', permissions: ['org.read'] });
    expect(status).toBe(403);
  });

  it('a key with the permission machines.manage gets 403 at every endpoint for service accounts and keys', async () => {
    const { account, id, key, send } = await setUp();
    const { access_token } = (await exchange(app, key)).json;
    const path = `/service-accounts/${account.id}`;
    for (const [method, rest, body] of [
      ['GET', '/service-accounts', undefined],
      ['POST', '/service-accounts', { name: 'B' }],
      ['PATCH', path, { name: 'B' }],
      ['DELETE', path, undefined],
      ['POST', `${path}/keys`, { name: 'k' }],
      ['POST', `${path}/keys/${id}/rotate`, {}],
      ['DELETE', `${path}/keys/${id}`, undefined],
    ] as const) {
      expect((await send(method, rest, body)).status).toBe(403);
      const { organization_id } = account;
      const ask = body && { body };
      expect((await sendAs(app, access_token, method, `/orgs/${organization_id}${rest}`, ask)).status).toBe(403);
    }
  });

  it('an invitation that is accepted with a key counts as accepted without a session', async () => {
    const { owner, key, send } = await setUp();
    const { json } = await send('POST', '/invitations', { email: owner.email.replace('@', '+new@'), role: 'member' });
    const body = { token: await knowInvitation(app, json.id), password: PASSWORD };
    const { status, json: joined } = await sendAs(app, key, 'POST', '/auth/invitations/accept', { body });
    expect([status, joined.status]).toEqual([200, 'success']);
  });
});

/** Reclaims the account, as if the session had begun with an emailed code. */
async function reclaim({ browser, session_id }: TestUser): Promise<void> {
  await sql`update sessions set first_factor = 'email_otp' where id = ${session_id}`.execute(app.deps.db);
  await app.deps.sessions.reload(session_id);
  expect((await browser.post('/auth/reclaim')).status).toBe(204);
}

describe('POST /auth/reclaim', () => {
  it('a reclaim ends the keys of service accounts that the account created, and no others', async () => {
    const owner = await founder(app);
    const squatter = await colleague(app, owner, 'admin');
    const [theirs, other] = [await machine(squatter), await machine(owner)];
    await reclaim(squatter);
    const statusOf = async (key: string) => (await sendAs(app, key, 'GET', '/auth/session')).status;
    expect([await statusOf(theirs.key), await statusOf(other.key)]).toEqual([401, 200]);
    expect(await auditOf(app, { action: 'api_key.revoked', resource_id: theirs.id })).toMatchObject([
      { metadata: { service_account_id: theirs.account.id, reason: 'reclaimed' } },
    ]);
  });

  it('a reclaim revokes the invitations of service accounts that the account created, and no others', async () => {
    const owner = await founder(app);
    const squatter = await colleague(app, owner, 'admin');
    const { id } = await createRole(squatter, { name: 'Inviter', permissions: ['members.invite', 'roles.manage'] });
    const invited = async (by: TestUser) => {
      const { key } = await machine(by, { role_ids: [id] });
      const body = { email: newEmail(), role: 'member', role_ids: [id] };
      const { json } = await sendAs(app, key, 'POST', `/orgs/${owner.organization_id}/invitations`, { body });
      return knowInvitation(app, json.id);
    };
    const [theirs, other] = [await invited(squatter), await invited(owner)];
    await reclaim(squatter);
    const accept = async (token: string) =>
      (await createBrowser(app).post('/auth/invitations/accept', { token, password: PASSWORD })).status;
    expect([await accept(theirs), await accept(other)]).toEqual([409, 200]);
  });

  it('a reclaim revokes an invitation that a key sends concurrently', async () => {
    const { owner, account, send } = await setUp();
    const email = newEmail();
    // Blocks the insert of the invitation after the request has locked its API key.
    const blocker = await app.deps.db.startTransaction().execute();
    await insertInvitation(blocker, {
      ...{ id: uuid(), organization_id: owner.organization_id, email, role: 'member', role_ids: [] },
      ...{ inviter_id: owner.user_id, service_account_id: null, inviter_email: owner.email },
      ...{ token_hash: randomBytes(32), created_at: app.clock.now(), expires_at: after(app.clock.now(), 60) },
    });
    const sent = send('POST', '/invitations', { email, role: 'member' });
    await untilBlocked(app, 1);
    const reclaimed = reclaim(owner);
    await untilBlocked(app, 2);
    await blocker.rollback().execute();
    expect((await sent).status).toBe(201);
    await reclaimed;
    const rows = await app.deps.db
      .selectFrom('invitations')
      .select('revoked_at')
      .where('service_account_id', '=', account.id)
      .execute();
    expect(rows).toEqual([{ revoked_at: app.clock.now() }]);
  });
});
