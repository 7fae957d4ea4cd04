import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPasskey, beginSigningIn, createAuthenticator } from '../../../test/authenticator.ts';
import { type Answer, createBrowser, newEmail, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import { auditOf, join, lockUserRow, setUser, trustBrowser, untilBlocked } from '../../../test/records.ts';
import { type Enrolled, enrol } from '../../../test/second-factor.ts';
import { insertDomain, type SsoPlace, startSso } from '../../../test/sso-fixture.ts';
import { colleague, insertMembership, updateMembership } from '../../../test/team.ts';
import { authorize, createClient, responseOf } from '../oauth-server/provider-fixture.ts';
import { givePolicy, putPolicy } from '../policy/policy-fixture.ts';
import { type Company, createCompany, outcomeOf, signInBySso } from './sign-in-fixture.ts';

let place: SsoPlace;
let company: Company;
beforeAll(async () => {
  place = await startSso({ environment: { LIMIT_PASSWORD_PER_ADDRESS: '100000/1m' } });
  company = await createCompany(place.app, place.provider);
  await givePolicy(place.app, company.organization_id, { sso_required: true });
});
afterAll(() => place.close());

type Role = 'member' | 'admin' | 'owner';
interface Person extends TestUser {
  readonly role: Role;
  readonly device: ReturnType<typeof createAuthenticator>;
  readonly totp?: Enrolled['app'];
}

async function person(role: Role, { email = company.email(), mfa = false } = {}): Promise<Person> {
  const user = await registerUser(place.app, { email });
  const device = createAuthenticator();
  await addPasskey(user.browser, device);
  await setUser(place.app, user.user_id, { email_verified_at: place.app.clock.now() });
  const totp = mfa ? (await enrol(place.app, user)).app : undefined;
  const { organization_id } = company;
  await insertMembership(place.app, { organization_id, user_id: user.user_id }, { role });
  return { ...user, role, device, ...(totp && { totp }) };
}

type Method = 'password' | 'passkey' | 'email_otp';

async function enter(who: Person, method: Method, jar?: Map<string, string>): Promise<Answer> {
  place.app.clock.advance(120);
  const browser = createBrowser(place.app, jar);
  const { organization_id } = company;
  const first = async (): Promise<Answer> => {
    const { email } = who;
    if (method === 'password') return browser.post('/auth/login', { email, password: PASSWORD, organization_id });
    if (method === 'passkey') {
      const credential = who.device.get(await beginSigningIn(place.app, email));
      return browser.post('/auth/passkey/login/complete', { credential, organization_id });
    }
    await browser.post('/auth/email-otp/request', { email });
    const code = await place.app.mailbox.takeCode(email);
    return browser.post('/auth/email-otp/verify', { email, code, organization_id });
  };
  const answer = await first();
  if (answer.json.status !== 'mfa_required') return answer;
  const { mfa_token } = answer.json;
  return browser.post('/auth/mfa/challenge', { mfa_token, code: who.totp!.code() });
}

const breakGlasses = (user_id: string) => auditOf(place.app, { actor_id: user_id, action: 'auth.break_glass' });

describe('sso_required', () => {
  it.each<[Role, boolean, Method, number]>([
    ['member', false, 'password', 403],
    ['member', true, 'password', 403],
    ['member', false, 'passkey', 403],
    ['member', false, 'email_otp', 403],
    ['admin', true, 'password', 403],
    ['admin', false, 'passkey', 403],
    ['owner', false, 'password', 403],
    ['owner', true, 'password', 200],
    ['owner', false, 'passkey', 200],
    ['owner', true, 'passkey', 200],
    ['owner', false, 'email_otp', 403],
    ['owner', true, 'email_otp', 403],
  ])('a sign-in of a member with the role %s, with MFA %j, by %s returns %i', async (role, mfa, method, status) => {
    const who = await person(role, { mfa });
    const answer = await enter(who, method);
    expect(answer.status, answer.text).toBe(status);
    const rows = await breakGlasses(who.user_id);
    expect(rows).toHaveLength(status === 200 ? 1 : 0);
    if (status !== 200) return;
    expect(rows[0]).toMatchObject({ organization_id: company.organization_id, outcome: 'success' });
    const mails = await place.app.mailbox.take(who.email);
    expect(mails.map(({ subject }) => subject)).toContain('An owner of Example signed in without single sign-on');
  });

  it('members with an email in another domain can use any sign-in method', async () => {
    expect((await enter(await person('member', { email: newEmail() }), 'password')).status).toBe(200);
  });

  it('members and owners sign in by the connection, and no mail is sent', async () => {
    const who = await person('owner');
    expect(outcomeOf(await signInBySso(place, company, { email: who.email }))).toBe('success');
    expect(await breakGlasses(who.user_id)).toEqual([]);
  });

  it('a sign-in that names no organization opens a session in another organization of the user', async () => {
    const { email, organization_id } = await person('member');
    const answer = await createBrowser(place.app).post('/auth/login', { email, password: PASSWORD });
    expect(answer.json.user.organization_id).toBe(organization_id);
  });

  it('an owner in a trusted browser is asked for the second factor', async () => {
    const who = await person('owner', { mfa: true });
    const trust = await trustBrowser(place.app, who.user_id, { expires_at: new Date('2100-01-01') });
    const answer = await enter(who, 'password', new Map([trust.split('=') as [string, string]]));
    expect(answer.json.user).toMatchObject({ aal: 'aal2', auth_method: 'password_with_mfa' });
  });

  it('a switch to the organization is 403 for members; owners at aal2 can switch, which is audited', async () => {
    const { organization_id } = company;
    const member = await person('member');
    expect((await member.browser.post('/auth/organization', { organization_id })).status).toBe(403);
    const owner = await person('owner', { mfa: true });
    place.app.clock.advance(60);
    await owner.browser.post('/auth/mfa/verify', { code: owner.totp!.code() });
    expect((await owner.browser.post('/auth/organization', { organization_id })).status).toBe(200);
    expect(await breakGlasses(owner.user_id)).toHaveLength(1);
  });

  it('an owner who loses the role during the sign-in gets no session', async () => {
    const who = await person('owner');
    const release = await lockUserRow(place.app, who.user_id);
    const entering = enter(who, 'passkey');
    await untilBlocked(place.app, 1);
    const { organization_id } = company;
    await release((tx) =>
      tx
        .updateTable('memberships')
        .set({ role: 'member' })
        .where('user_id', '=', who.user_id)
        .where('organization_id', '=', organization_id)
        .execute(),
    );
    expect((await entering).status).toBe(401);
    expect(await breakGlasses(who.user_id)).toEqual([]);
  });

  it('an application of the organization cannot be authorized from a session in another organization, not even by an owner', async () => {
    const { organization_id } = company;
    const client = await createClient(place.app, { organization_id, trusted: true });
    const who = await person('owner', { mfa: true });
    // The session is in the owner's own organization; the code raises it to aal2.
    await who.browser.post('/auth/mfa/verify', { code: who.totp!.code() });
    expect(responseOf(await authorize(who.browser, client))).toMatchObject({ error: 'access_denied' });
    expect(await breakGlasses(who.user_id)).toEqual([]);
    expect((await who.browser.post('/auth/organization', { organization_id })).status).toBe(200);
    expect(await breakGlasses(who.user_id)).toHaveLength(1);
    expect(responseOf(await authorize(who.browser, client))).toHaveProperty('code');
  });

  it('a refresh ends the session of a member who signed in before; the session of an owner at aal2 continues', async () => {
    await givePolicy(place.app, company.organization_id, {});
    const member = await enter(await person('member'), 'password');
    const jar = new Map(member.set_cookies.map((line) => line.split(';')[0]!.split('=') as [string, string]));
    const owner = await enter(await person('owner', { mfa: true }), 'password');
    const ownerJar = new Map(owner.set_cookies.map((line) => line.split(';')[0]!.split('=') as [string, string]));
    await givePolicy(place.app, company.organization_id, { sso_required: true });
    const browser = createBrowser(place.app, jar);
    expect((await browser.post('/auth/refresh')).status).toBe(401);
    expect((await browser.get('/auth/session')).status).toBe(401);
    expect((await createBrowser(place.app, ownerJar).post('/auth/refresh')).status).toBe(200);
  });

  it.each(['with a password', 'with a session', 'by the link alone'])(
    'an invitation is not accepted %s: 403, and it stays pending',
    async (how) => {
      const email = company.email();
      const owner = await colleague(place.app, company.owner, 'owner');
      const path = `/orgs/${company.organization_id}/invitations`;
      const { json, status } = await owner.browser.post(path, { email, role: 'member' });
      expect(status).toBe(201);
      const token = await place.app.mailbox.takeToken(email, 'accept-invitation');
      const user = how === 'with a password' ? undefined : await registerUser(place.app, { email });
      if (user) await setUser(place.app, user.user_id, { email_verified_at: place.app.clock.now() });
      if (user && how === 'by the link alone')
        await updateMembership(place.app, user, { revoked_at: place.app.clock.now() });
      const browser = user && how === 'with a session' ? user.browser : createBrowser(place.app);
      const answer = await browser.post('/auth/invitations/accept', { token, ...(!user && { password: PASSWORD }) });
      expect([answer.status, answer.json.error.message]).toEqual([403, expect.stringContaining('single sign-on')]);
      const list = await owner.browser.get(`${path}?status=pending`);
      expect(list.json.items.map(({ id }: { id: string }) => id)).toContain(json.id);
      expect(outcomeOf(await signInBySso(place, company, { email }))).toBe('success');
    },
  );
});

describe('setting sso_required', () => {
  const required = { sso_required: true };
  const verified = async (): Promise<Enrolled> => {
    const owner = await registerUser(place.app);
    return enrol(place.app, owner);
  };

  it('409 without an active connection; 200 with one, if an owner can sign in without single sign-on', async () => {
    const owner = await verified();
    const refused = await putPolicy(owner, required);
    expect([refused.status, refused.json.error.message]).toEqual([409, expect.stringContaining('connection')]);
    await createCompany(place.app, place.provider, { owner });
    expect((await putPolicy(owner, required)).json).toMatchObject(required);
    const discovered = await createBrowser(place.app).post('/auth/sso/discover', { email: 'a@example.com' });
    expect(discovered.json).toEqual({ connection: null });
  });

  it('409 without an owner who could sign in while the provider is down', async () => {
    const owner = await registerUser(place.app);
    await createCompany(place.app, place.provider, { owner });
    const refused = await putPolicy(owner, required);
    expect([refused.status, refused.json.error.message]).toEqual([409, expect.stringContaining('passkey')]);
    await addPasskey(owner.browser, createAuthenticator());
    expect((await putPolicy(owner, required)).status).toBe(200);
  });

  it('409 if the allowed methods leave no owner who could sign in while the provider is down', async () => {
    const own = await createCompany(place.app, place.provider, { owner: await verified() });
    const email = own.email();
    await own.owner.browser.post(`/orgs/${own.organization_id}/invitations`, { email, role: 'owner' });
    const { browser } = await signInBySso(place, own, { email });
    const path = `/orgs/${own.organization_id}/policy`;
    const put = (body: object) => browser.send('PUT', path, { body });
    expect((await put({ ...required, allowed_methods: ['sso', 'email_otp'] })).status).toBe(409);
    expect((await put({ ...required, allowed_methods: ['sso', 'password'] })).status).toBe(200);
    const discovered = await createBrowser(place.app).post('/auth/sso/discover', { email });
    expect(discovered.json.connection.required).toBe(true);
  });

  it('400 that names the rule if the session of the acting owner would be rejected', async () => {
    const owner = await registerUser(place.app);
    const domain = await insertDomain(place.app, owner);
    await setUser(place.app, owner.user_id, { email: `owner@${domain}` });
    const answer = await putPolicy(owner, required);
    expect([answer.status, answer.json.error.message.split(':')[0]]).toEqual([400, 'sso_required']);
    await join(place.app, owner.user_id);
  });
});
