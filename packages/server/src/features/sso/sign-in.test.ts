import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, registerUser } from '../../../test/browser.ts';
import { auditOf, findSession, findUser, setUser } from '../../../test/records.ts';
import { type SsoPlace, startSso } from '../../../test/sso-fixture.ts';
import { findMembership, insertMembership } from '../../../test/team.ts';
import { type Company, createCompany, outcomeOf, signInBySso } from './sign-in-fixture.ts';

let place: SsoPlace;
let company: Company;
beforeAll(async () => {
  place = await startSso();
  company = await createCompany(place.app, place.provider);
});
afterAll(() => place.close());

describe('§13.3 POST /auth/sso/discover', () => {
  const discover = (email: unknown) => createBrowser(place.app).post('/auth/sso/discover', { email });

  it('returns the active connection for every address of the domain, in any case, with or without an account', async () => {
    for (const email of [company.email(), company.email().toUpperCase(), `nobody@${company.domain}`]) {
      const { connection } = (await discover(email)).json;
      expect(connection).toEqual({
        id: company.connection_id,
        name: 'Example Corp',
        start_url: `${place.app.deps.config.PUBLIC_BASE_URL}/v1/auth/sso/${company.connection_id}/start`,
        required: false,
      });
    }
  });

  it.each([
    ['a subdomain', 'ada@sub.'],
    ['a longer name', 'ada@x'],
  ])('returns null for %s', async (_what, start) => {
    expect((await discover(start + company.domain)).json).toEqual({ connection: null });
  });

  it.each(['', 'no address', 'a@b@example.com', null, 5])('400 for an invalid address: %j', async (email) => {
    expect((await discover(email)).status).toBe(400);
  });
});

describe('§13.3 the first sign-in', () => {
  it('creates an account with a verified email, without an organization of its own, and the session of the connection', async () => {
    const email = company.email();
    const answer = await signInBySso(place, company, { email, sub: 'new-1' });
    expect(answer.json).toMatchObject({
      status: 'success',
      user: { email, email_verified: true, auth_method: 'sso', aal: 'aal1', mfa_verified_at: null },
      capabilities: { role: 'member', platform_role: null },
    });
    const { user_id, session_family_id } = answer.json.user;
    expect(await findSession(place.app, session_family_id)).toMatchObject({
      connection_id: company.connection_id,
      first_factor: 'sso',
      auth_method: 'sso',
    });
    expect((await answer.browser.get('/users/me')).json.memberships).toHaveLength(1);
    expect(await findUser(place.app, user_id)).toMatchObject({ password_hash: null, display_name: 'Ada' });
    const actions = (await auditOf(place.app, { actor_id: user_id })).map(({ action }) => action);
    expect(actions).toEqual(['auth.sso.linked', 'auth.sso.login']);
    // The second one finds the link, whatever the provider calls the email now.
    const again = await signInBySso(place, company, { email: 'other@elsewhere.example', sub: 'new-1' });
    expect(again.json.user.user_id).toBe(user_id);
  });

  it('uses an existing account, which keeps its role and its other organizations', async () => {
    const person = await registerUser(place.app, { email: company.email() });
    await setUser(place.app, person.user_id, { email_verified_at: place.app.clock.now() });
    await insertMembership(
      place.app,
      { organization_id: company.organization_id, user_id: person.user_id },
      { role: 'admin' },
    );
    const answer = await signInBySso(place, company, { email: person.email });
    expect(answer.json.user).toMatchObject({ user_id: person.user_id, organization_id: company.organization_id });
    expect(answer.json.capabilities.role).toBe('admin');
    expect((await person.browser.get('/auth/session')).status).toBe(200);
    const { memberships } = (await answer.browser.get('/users/me')).json;
    expect(memberships.map(({ organization_id }: { organization_id: string }) => organization_id)).toEqual([
      company.organization_id,
    ]);
  });

  it('adds the user of an existing account to the organization with the default role', async () => {
    const person = await registerUser(place.app, { email: company.email() });
    await setUser(place.app, person.user_id, { email_verified_at: place.app.clock.now() });
    expect(outcomeOf(await signInBySso(place, company, { email: person.email }))).toBe('success');
    const key = { organization_id: company.organization_id, user_id: person.user_id };
    expect(await findMembership(place.app, key)).toMatchObject({ role: 'member', revoked_at: null });
  });
});
