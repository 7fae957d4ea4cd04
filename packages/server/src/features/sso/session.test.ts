import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Browser, claimsOf, registerUser } from '../../../test/browser.ts';
import { findSession, join, revocationsOf, setUser } from '../../../test/records.ts';
import { type Enrolled, enrol } from '../../../test/second-factor.ts';
import { type SsoPlace, startSso } from '../../../test/sso-fixture.ts';
import { colleague, insertMembership } from '../../../test/team.ts';
import {
  authorize,
  codeFor,
  createClient,
  decide,
  exchange,
  interactionIn,
  payloadOf,
  refresh,
  responseOf,
  userinfo,
} from '../oauth-server/provider-fixture.ts';
import { givePolicy } from '../policy/policy-fixture.ts';
import { type Company, createCompany, outcomeOf, signInBySso } from './sign-in-fixture.ts';

let place: SsoPlace;
let company: Company;
let trusting: Company;
beforeAll(async () => {
  place = await startSso({ environment: { LIMIT_PASSWORD_PER_ADDRESS: '100000/1m' } });
  company = await createCompany(place.app, place.provider);
  trusting = await createCompany(place.app, place.provider, { trust_idp_mfa: true });
});
afterAll(() => place.close());

async function enrolled({ organization_id, email }: Company): Promise<Enrolled> {
  const person = await registerUser(place.app, { email: email() });
  await setUser(place.app, person.user_id, { email_verified_at: place.app.clock.now() });
  await insertMembership(place.app, { organization_id, user_id: person.user_id });
  return enrol(place.app, person);
}

const sessionOf = ({ json }: Answer) => findSession(place.app, json.user.session_family_id);

describe('assurance of single sign-on', () => {
  it.each([
    ['trusts the provider', 'with amr mfa', 'aal2', () => trusting, ['pwd', 'mfa']],
    ['trusts the provider', 'without amr mfa', 'aal1', () => trusting, ['pwd', 'otp']],
    ['trusts the provider', 'with amr as text', 'aal1', () => trusting, 'mfa'],
    ['does not trust the provider', 'with amr mfa', 'aal1', () => company, ['mfa']],
  ])('a connection that %s, %s: the session is %s, and mfa_verified_at is null', async (_trust, _amr, aal, at, amr) => {
    const answer = await signInBySso(place, at(), { email: at().email(), amr });
    const extensions = { connection_id: at().connection_id };
    expect(answer.json.user).toMatchObject({ aal, auth_method: 'sso', mfa_verified_at: null, extensions });
  });

  it('asks for the second factor that the user has at this service; the session is then password_with_mfa and keeps connection_id', async () => {
    const person = await enrolled(company);
    const pending = await signInBySso(place, company, { email: person.email });
    expect(outcomeOf(pending)).toBe('mfa_required');
    const { mfa_token } = pending.json;
    const answer = await pending.browser.post('/auth/mfa/challenge', { mfa_token, code: person.app.code() });
    const { connection_id } = company;
    const extensions = { connection_id };
    expect(answer.json.user).toMatchObject({ auth_method: 'password_with_mfa', aal: 'aal2', extensions });
    expect(await sessionOf(answer)).toMatchObject({ connection_id, first_factor: 'sso' });
    expect((await pending.browser.get('/users/me/identities')).status).toBe(403);
    expect((await pending.browser.post('/auth/refresh')).status).toBe(200);
    expect((await pending.browser.get('/users/me/identities')).status).toBe(403);
  });

  it('does not ask for a second factor if the provider has verified one, and such a session counts as fresh authentication', async () => {
    const person = await enrolled(trusting);
    const key = { organization_id: trusting.organization_id, user_id: person.user_id };
    await place.app.deps.db
      .updateTable('memberships')
      .set({ role: 'owner' })
      .where('user_id', '=', key.user_id)
      .execute();
    const { browser, json } = await signInBySso(place, trusting, { email: person.email, amr: ['mfa'] });
    expect(json.user).toMatchObject({ aal: 'aal2', mfa_verified_at: null });
    const policy = `/orgs/${trusting.organization_id}/policy`;
    expect((await browser.send('PUT', policy, { body: {} })).status).toBe(200);
    place.app.clock.advance(16 * 60);
    await browser.post('/auth/refresh');
    expect((await browser.send('PUT', policy, { body: {} })).json.error.code).toBe('mfa_required');
    expect((await browser.post('/auth/mfa/verify', { code: person.app.code() })).status).toBe(200);
    expect((await browser.send('PUT', policy, { body: {} })).status).toBe(200);
  });

  it('rejects the second factor if the connection was deactivated, or the email changed to another domain, meanwhile', async () => {
    for (const change of ['connection', 'email'] as const) {
      const own = await createCompany(place.app, place.provider);
      const person = await enrolled(own);
      const { json, browser } = await signInBySso(place, own, { email: person.email });
      const { db } = place.app.deps;
      if (change === 'email') await setUser(place.app, person.user_id, { email: `${change}-${person.email}.example` });
      else await db.updateTable('sso_connections').set({ active: false }).where('id', '=', own.connection_id).execute();
      const { mfa_token } = json;
      const answer = await browser.post('/auth/mfa/challenge', { mfa_token, code: person.app.code() });
      expect(answer.status).toBe(401);
    }
  });
});

describe('a session of single sign-on', () => {
  it('has no platform role, and lists only the membership of its organization', async () => {
    const person = await registerUser(place.app, { email: company.email() });
    await setUser(place.app, person.user_id, { email_verified_at: place.app.clock.now(), platform_role: 'owner' });
    const { browser, json } = await signInBySso(place, company, { email: person.email });
    expect(json.capabilities.platform_role).toBeNull();
    expect((await browser.get('/auth/session')).json.capabilities.platform_role).toBeNull();
    const me = (await browser.get('/users/me')).json;
    expect([me.platform_role, me.memberships.length]).toEqual([null, 1]);
    expect((await browser.get('/admin/users')).status).toBe(403);
    await setUser(place.app, person.user_id, { platform_role: null });
  });

  it('cannot switch to another organization of the user', async () => {
    const { browser, json } = await signInBySso(place, company, { email: company.email() });
    const other = await join(place.app, json.user.user_id);
    for (const organization_id of [other, company.organization_id]) {
      expect((await browser.post('/auth/organization', { organization_id })).status).toBe(403);
    }
  });

  it('is treated as no session when an invitation is accepted, even without the CSRF value', async () => {
    const { browser, json } = await signInBySso(place, company, { email: company.email() });
    const elsewhere = await registerUser(place.app);
    const { email } = json.user;
    const path = `/orgs/${elsewhere.organization_id}/invitations`;
    await setUser(place.app, elsewhere.user_id, { email_verified_at: place.app.clock.now() });
    expect((await elsewhere.browser.post(path, { email, role: 'member' })).status).toBe(201);
    const token = await place.app.mailbox.takeToken(email, 'accept-invitation');
    for (const csrf of [true, false]) {
      const answer = await browser.post('/auth/invitations/accept', { token }, { csrf });
      expect([answer.status, answer.json.error.code]).toEqual([401, 'authentication_required']);
    }
  });

  it('is not restricted by require_mfa', async () => {
    const own = await createCompany(place.app, place.provider);
    await givePolicy(place.app, own.organization_id, { require_mfa: true });
    const { browser, json } = await signInBySso(place, own, { email: own.email() });
    expect(json.user.extensions).toEqual({ connection_id: own.connection_id });
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    expect((await browser.get('/auth/session')).json.user.extensions).toEqual(json.user.extensions);
  });

  it('ends with its connection, at the service and in the revocation feed', async () => {
    const own = await createCompany(place.app, place.provider);
    const { browser, json } = await signInBySso(place, own, { email: own.email() });
    const path = `/orgs/${own.organization_id}/sso-connections/${own.connection_id}/deactivate`;
    expect((await own.owner.browser.post(path)).status).toBe(200);
    expect((await browser.get('/auth/session')).status).toBe(401);
    expect(await revocationsOf(place.app, json.user.session_family_id)).toHaveLength(1);
  });
});

describe('applications and single sign-on', () => {
  const tokensFor = async (browser: Browser, client: Awaited<ReturnType<typeof createClient>>) =>
    (await exchange(place.app, client, await codeFor(browser, client, { scope: 'openid offline_access' }))).json;

  it.each([
    ['signing out', (browser: Browser) => browser.post('/auth/logout')],
    [
      'removing the link',
      async (_browser: Browser, user_id: string) => {
        const { browser } = await colleague(place.app, company.owner, 'owner');
        return browser.delete(`/orgs/${company.organization_id}/members/${user_id}/sso-identity`);
      },
    ],
  ])('a grant with offline_access ends with the session: %s', async (_how, end) => {
    const { browser, json } = await signInBySso(place, company, { email: company.email() });
    const client = await createClient(place.app);
    const tokens = await tokensFor(browser, client);
    const renewed = await refresh(place.app, client, tokens.refresh_token);
    expect(renewed.status, renewed.text).toBe(200);
    expect((await end(browser, json.user.user_id)).status).toBe(204);
    expect((await refresh(place.app, client, renewed.json.refresh_token)).status).toBe(400);
    expect((await userinfo(place.app, renewed.json.access_token)).status).toBe(401);
    expect(await revocationsOf(place.app, claimsOf(renewed.json.access_token).sid)).toHaveLength(1);
  });

  it.each([
    ['at the provider', ['mfa'], ['fed', 'mfa']],
    ['nowhere', ['pwd'], ['fed']],
  ])('the ID token has amr fed; second factor %s', async (_where, amr, claim) => {
    const { browser } = await signInBySso(place, trusting, { email: trusting.email(), amr });
    const { id_token } = await tokensFor(browser, await createClient(place.app));
    expect(payloadOf(id_token).amr).toEqual(claim);
  });

  it('a grant with offline_access ends when the session expires', async () => {
    const { browser } = await signInBySso(place, company, { email: company.email() });
    const client = await createClient(place.app);
    const { refresh_token } = await tokensFor(browser, client);
    place.app.clock.advance(place.app.deps.config.REFRESH_TOKEN_TTL - 60);
    const renewed = await refresh(place.app, client, refresh_token);
    expect(renewed.json.expires_in).toBeLessThanOrEqual(60);
    place.app.clock.advance(61);
    expect((await refresh(place.app, client, renewed.json.refresh_token)).status).toBe(400);
  });

  it('acr_values=aal2 needs the authenticator app that the user has here; without one it is access_denied', async () => {
    const person = await registerUser(place.app, { email: company.email() });
    await setUser(place.app, person.user_id, { email_verified_at: place.app.clock.now() });
    const { organization_id } = company;
    await insertMembership(place.app, { organization_id, user_id: person.user_id });
    const client = await createClient(place.app, { trusted: true });
    const { browser } = await signInBySso(place, company, { email: person.email });
    const ask = () => authorize(browser, client, { acr_values: 'aal2' });
    expect(responseOf(await ask())).toMatchObject({ error: 'access_denied' });
    const enrolled = await enrol(place.app, person);
    const id = interactionIn(await ask());
    expect((await browser.post('/auth/mfa/verify', { code: enrolled.app.code(1) })).status).toBe(200);
    expect((await decide(browser, id)).json.redirect_to).toContain('code=');
  });

  it('a session of single sign-on can authorize applications of its organization or of none, but for no other organization', async () => {
    const { browser, json } = await signInBySso(place, company, { email: company.email() });
    const other = await join(place.app, json.user.user_id);
    const own = await createClient(place.app, { organization_id: company.organization_id, trusted: true });
    expect(responseOf(await authorize(browser, own))).toHaveProperty('code');
    const foreign = await createClient(place.app, { organization_id: other, trusted: true });
    expect(responseOf(await authorize(browser, foreign))).toMatchObject({ error: 'access_denied' });
    const open = await createClient(place.app, { trusted: true });
    expect(responseOf(await authorize(browser, open, { organization: other }))).toMatchObject({
      error: 'access_denied',
    });
    expect(responseOf(await authorize(browser, open))).toHaveProperty('code');
  });
});
