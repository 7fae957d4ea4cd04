import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, registerUser } from '../../../test/browser.ts';
import { startOpenIdProvider } from '../../../test/openid-provider.ts';
import { auditOf, findSession, findUser, setUser } from '../../../test/records.ts';
import { CLIENT, createConnection, type SsoPlace, startSso } from '../../../test/sso-fixture.ts';
import { colleague, findMembership, insertMembership } from '../../../test/team.ts';
import { findPolicy } from '../../domain/policy/queries.ts';
import { signInByCode } from '../email-verification/reclaim/squat-fixture.ts';
import { givePolicy } from '../policy/policy-fixture.ts';
import { type Company, createCompany, openCallback, outcomeOf, signInBySso } from './sign-in-fixture.ts';

let place: SsoPlace;
let company: Company;
beforeAll(async () => {
  place = await startSso();
  company = await createCompany(place.app, place.provider);
});
afterAll(() => place.close());

describe('POST /auth/sso/discover', () => {
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

  it('returns whether single sign-on is required; null while the connection is inactive, the organization suspended or the domain unverified', async () => {
    const own = await createCompany(place.app, place.provider);
    const { organization_id, connection_id, domain } = own;
    await givePolicy(place.app, organization_id, { sso_required: true });
    const { db } = place.app.deps;
    const isRequired = async () => (await discover(own.email())).json.connection?.required;
    const setConnection = (active: boolean) =>
      db.updateTable('sso_connections').set({ active }).where('id', '=', connection_id).execute();
    const setOrganization = (suspended_at: Date | null) =>
      db.updateTable('organizations').set({ suspended_at }).where('id', '=', organization_id).execute();
    for (const [off, on] of [
      [() => setConnection(false), () => setConnection(true)],
      [() => setOrganization(place.app.clock.now()), () => setOrganization(null)],
      [() => db.updateTable('domains').set({ verified_at: null }).where('domain', '=', domain).execute()],
    ] as const) {
      expect(await isRequired()).toBe(true);
      await off();
      expect((await discover(own.email())).json).toEqual({ connection: null });
      await on?.();
    }
  });

  it.each(['', 'no address', 'a@b@example.com', null, 5])('400 for an invalid address: %j', async (email) => {
    expect((await discover(email)).status).toBe(400);
  });
});

describe('the first single sign-on', () => {
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
    // The second sign-in finds the account by the linked subject, whatever email the provider sends.
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

describe('membership by single sign-on', () => {
  it('gives a new member the default role and the roles of the connection, and ignores roles in the claims', async () => {
    const { owner } = company;
    const { json: role } = await owner.browser.post(`/orgs/${owner.organization_id}/roles`, {
      name: 'Auditors',
      slug: 'auditors',
      permissions: ['audit.read'],
    });
    const own = await createCompany(place.app, place.provider, { owner, role_ids: [role.id] });
    const claims = {
      email: own.email(),
      role: 'owner',
      roles: ['owner'],
      groups: ['owner'],
      permissions: ['org.update'],
    };
    const { capabilities } = (await signInBySso(place, own, claims)).json;
    expect(capabilities).toMatchObject({ role: 'member', roles: ['auditors'] });
    expect(capabilities.permissions).toEqual(['audit.read', 'members.list', 'org.read']);
  });

  it('removes everything unproven of an account that was registered before', async () => {
    const squatter = await registerUser(place.app, { email: company.email() });
    const answer = await signInBySso(place, company, { email: squatter.email });
    expect(answer.json.user).toMatchObject({ user_id: squatter.user_id, email_verified: true });
    expect((await squatter.browser.get('/auth/session')).status).toBe(401);
    const { email, password } = squatter;
    const actions = (await auditOf(place.app, { resource_id: squatter.user_id })).map(({ action }) => action);
    expect(actions).toEqual(['auth.email.verified', 'account.reclaimed', 'auth.sso.linked', 'auth.sso.login']);
    expect((await createBrowser(place.app).post('/auth/login', { email, password })).status).toBe(401);
  });

  it.each([
    ['disabled', '401 account_refused'],
    ['active', 'success'],
  ] as const)(
    'after a reclaim, a new user of the connection, while another owner is %s: %s',
    async (status, outcome) => {
      const squatter = await registerUser(place.app);
      const own = await createCompany(place.app, place.provider, { owner: squatter });
      await setUser(place.app, (await colleague(place.app, squatter, 'owner')).user_id, { status });
      const { browser } = await signInByCode(place.app, squatter.email);
      expect((await browser.post('/auth/reclaim')).status).toBe(204);
      expect(outcomeOf(await signInBySso(place, own, { email: own.email() }))).toBe(outcome);
      const rows = await auditOf(place.app, { resource_id: own.connection_id, action: 'sso.connection.updated' });
      const { user_id: actor_id, organization_id } = squatter;
      const metadata = { fields: ['create_members'], issuer: place.provider.issuer, client_id: CLIENT.client_id };
      const row = { actor_id, organization_id, metadata: { ...metadata, sessions: 0, reason: 'reclaimed' } };
      expect(rows).toMatchObject(outcome === 'success' ? [] : [row]);
    },
  );

  it('keeps the policy of the organization and create_members of the connection, also if its only member was unproven', async () => {
    const own = await createCompany(place.app, place.provider);
    const { organization_id, owner } = own;
    const { id: unused } = await createConnection(owner, place.provider, { create_members: true });
    const email = own.email();
    await setUser(place.app, owner.user_id, { email, email_verified_at: null });
    await givePolicy(place.app, organization_id, { sso_required: true });
    const answer = await signInBySso(place, own, { email });
    expect(answer.json.user).toMatchObject({ user_id: owner.user_id, email_verified: true });
    const found = await findPolicy(place.app.deps.db, organization_id);
    expect(found?.policy).toMatchObject({ sso_required: true });
    expect(outcomeOf(await signInBySso(place, own, { email: own.email() }))).toBe('success');
    const rows = await auditOf(place.app, { actor_id: owner.user_id, action: 'sso.connection.updated' });
    expect(rows.map(({ resource_id }) => resource_id)).toEqual([unused]);
  });

  it.each([
    ['a new user', false],
    ['an existing account', true],
  ])('accepts a pending invitation to %s with its role, also without create_members', async (_who, exists) => {
    const own = await createCompany(place.app, place.provider, { create_members: false });
    const email = own.email();
    if (exists) await registerUser(place.app, { email });
    const invitation = await own.owner.browser.post(`/orgs/${own.organization_id}/invitations`, {
      email,
      role: 'admin',
    });
    expect(invitation.status, invitation.text).toBe(201);
    const answer = await signInBySso(place, own, { email });
    expect([outcomeOf(answer), answer.json.capabilities.role]).toEqual(['success', 'admin']);
    const [row] = await auditOf(place.app, { resource_id: invitation.json.id, action: 'invitation.accepted' });
    expect(row).toMatchObject({ actor_id: answer.json.user.user_id, metadata: { role: 'admin', new_user: !exists } });
  });

  it('adds a removed member again only by an invitation', async () => {
    const user = { email: company.email(), sub: 'removed' };
    const { user_id } = (await signInBySso(place, company, user)).json.user;
    const path = `/orgs/${company.organization_id}`;
    expect((await company.owner.browser.delete(`${path}/members/${user_id}`)).status).toBe(204);
    // Advances by more days than other ended rows are kept.
    place.app.clock.advance(200 * 86_400);
    await place.app.sweeper.pass();
    expect(outcomeOf(await signInBySso(place, company, user))).toBe('401 account_refused');
    const owner = await colleague(place.app, company.owner, 'owner');
    expect((await owner.browser.post(`${path}/invitations`, { email: user.email, role: 'member' })).status).toBe(201);
    expect(outcomeOf(await signInBySso(place, company, user))).toBe('success');
    const { organization_id } = company;
    expect(await findMembership(place.app, { organization_id, user_id })).toMatchObject({ revoked_email: null });
    // A member again, the user leaves the address to another user.
    await setUser(place.app, user_id, { email: company.email() });
    expect(outcomeOf(await signInBySso(place, company, { email: user.email }))).toBe('success');
  });

  it('does not change the link of a member whom the policy rejects', async () => {
    const own = await createCompany(place.app, place.provider);
    const user = { sub: 'rejected', email: own.email() };
    expect(outcomeOf(await signInBySso(place, own, user))).toBe('success');
    const identities = place.app.deps.db.selectFrom('sso_identities').where('connection_id', '=', own.connection_id);
    const before = await identities.selectAll().execute();
    place.app.clock.advance(60);
    await givePolicy(place.app, own.organization_id, { allowed_networks: ['192.0.2.1'] });
    const other = { ...user, email: own.email() };
    expect(outcomeOf(await signInBySso(place, own, other))).toBe('403 account_refused');
    expect(await identities.selectAll().execute()).toEqual(before);
    await givePolicy(place.app, own.organization_id, {});
    expect(outcomeOf(await signInBySso(place, own, other))).toBe('success');
    expect(await identities.select(['email', 'last_used_at']).execute()).toEqual([
      { email: other.email, last_used_at: place.app.clock.now() },
    ]);
  });

  it('a changed issuer unlinks all accounts: a subject of the new issuer is another user, and members are linked again', async () => {
    const [own, provider] = [
      await createCompany(place.app, place.provider),
      await startOpenIdProvider({ now: place.app.clock.now }),
    ];
    provider.clients.set(CLIENT.client_id, { secret: CLIENT.client_secret, redirect_uris: null });
    const emails = [own.email(), own.email()] as const;
    const { user_id } = (await signInBySso(place, own, { sub: '1', email: emails[0] })).json.user;
    const { issuer } = provider;
    const path = `/orgs/${own.organization_id}/sso-connections/${own.connection_id}`;
    expect((await own.owner.browser.patch(path, { issuer, client_secret: CLIENT.client_secret })).status).toBe(200);
    await place.app.deps.db.updateTable('sso_connections').set({ active: true }).where('issuer', '=', issuer).execute();
    const there = { ...place, provider };
    const [other, again] = [
      await signInBySso(there, own, { sub: '1', email: emails[1] }),
      await signInBySso(there, own, { sub: '2', email: emails[0] }),
    ];
    expect([outcomeOf(other), other.json.user.email]).toEqual(['success', emails[1]]);
    expect([outcomeOf(again), again.json.user.user_id]).toEqual(['success', user_id]);
    await provider.close();
  });

  it('an owner unlinks a member: the sessions end, and the next sign-in links another subject', async () => {
    const email = company.email();
    const first = await signInBySso(place, company, { email });
    const { user_id } = first.json.user;
    const owner = await colleague(place.app, company.owner, 'owner');
    const path = `/orgs/${company.organization_id}/members/${user_id}/sso-identity`;
    expect(outcomeOf(await signInBySso(place, company, { email }))).toBe('409 identity_in_use');
    expect((await first.browser.delete(path)).status).toBe(403);
    for (let time = 0; time < 2; time++) expect((await owner.browser.delete(path)).status).toBe(204);
    expect(await auditOf(place.app, { resource_id: user_id, action: 'auth.sso.unlinked' })).toHaveLength(1);
    expect((await first.browser.get('/auth/session')).status).toBe(401);
    expect(outcomeOf(await signInBySso(place, company, { email }))).toBe('success');
    const unknown = path.replace(user_id, company.connection_id);
    expect((await owner.browser.delete(unknown)).status).toBe(404);
  });
});

describe('errors of single sign-on', () => {
  it('start and callback return 404 for a connection that is unknown or not active', async () => {
    const own = await createCompany(place.app, place.provider);
    await place.app.deps.db
      .updateTable('sso_connections')
      .set({ active: false })
      .where('id', '=', own.connection_id)
      .execute();
    const browser = createBrowser(place.app);
    for (const id of [own.connection_id, own.organization_id]) {
      expect((await browser.get(`/auth/sso/${id}/start`)).status).toBe(404);
      expect((await browser.get(`/auth/sso/${id}/callback?code=x&state=y`)).status).toBe(404);
    }
  });

  it('redirects a browser to the sign-in page with the error code and redirect_to, or after a success to redirect_to', async () => {
    const failed = await signInBySso(
      place,
      company,
      { email: 'ada@elsewhere.example' },
      { json: false, query: '?redirect_to=/account' },
    );
    expect([failed.status, failed.headers.location]).toEqual([
      302,
      '/sign-in?error=email_missing&redirect_to=%2Faccount',
    ]);
    const done = await signInBySso(
      place,
      company,
      { email: company.email() },
      { json: false, query: '?redirect_to=/account' },
    );
    expect([done.status, done.headers.location]).toEqual([302, '/account']);
  });

  it('redirects to the sign-in page with provider_error if the provider is down, which does not affect another one', async () => {
    const provider = await startOpenIdProvider({ now: place.app.clock.now });
    const own = await createCompany(place.app, provider);
    await provider.close();
    const started = await createBrowser(place.app).get(`/auth/sso/${own.connection_id}/start`);
    expect([started.status, started.headers.location]).toEqual([302, '/sign-in?error=provider_error']);
    expect(outcomeOf(await signInBySso(place, company, { email: company.email() }))).toBe('success');
  });

  it('passes login_hint to the provider; a sign-in that is cancelled there is access_denied', async () => {
    const browser = createBrowser(place.app);
    const started = await browser.get(`/auth/sso/${company.connection_id}/start?login_hint=ada%40example.com`);
    const url = String(started.headers.location);
    expect(new URL(url).searchParams.get('login_hint')).toBe('ada@example.com');
    const answer = await openCallback(browser, place.provider.authorize(url, { deny: 'access_denied' }));
    expect(outcomeOf(answer)).toBe('401 access_denied');
  });
});
