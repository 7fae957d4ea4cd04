import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertApplicationRows } from '../../../test/application-rows.ts';
import { atOnce, type TestUser, tally } from '../../../test/browser.ts';
import { insertSession, type TestApp } from '../../../test/harness.ts';
import type { OpenIdProvider } from '../../../test/openid-provider.ts';
import { auditOf, bindSession, findSession, revocationsOf, setAuthTime } from '../../../test/records.ts';
import {
  activeConnection,
  CLIENT,
  CONFIG_KEY,
  connectionTo,
  createConnection,
  insertDomain,
  newDomain,
  type SsoPlace,
  startSso,
} from '../../../test/sso-fixture.ts';
import { colleague, founder } from '../../../test/team.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { seal, unseal } from '../../platform/crypto/seal.ts';
import { sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import { resealColumn } from '../../platform/db/reseal.ts';

let place: SsoPlace;
let app: TestApp;
let provider: OpenIdProvider;
let owner: TestUser;
beforeAll(async () => {
  place = await startSso();
  ({ app, provider } = place);
  owner = await founder(app);
});
afterAll(() => place.close());

const at = ({ organization_id }: TestUser, id?: string, verb?: string): string =>
  [`/orgs/${organization_id}/sso-connections`, id, verb].filter((part) => part !== undefined).join('/');

const rowOf = (id: string) =>
  app.deps.db.selectFrom('sso_connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const lastAudit = async (resource_id: string) => (await auditOf(app, { resource_id })).at(-1);

async function ssoSession(user: TestUser, connection_id: string) {
  const { organization_id } = user;
  const session = await insertSession(app, { organization_id, role: 'member' });
  await bindSession(app, session.session_id, connection_id);
  return session;
}

describe('connections of an organization', () => {
  it('are created as drafts with the defaults, listed, read, changed and deleted', async () => {
    const user = await founder(app);
    const created = await user.browser.post(at(user), {
      name: ' Example Corp ',
      issuer: 'https://login.example.com',
      client_id: 'gatehouse',
    });
    const { id } = created.json;
    const connection = {
      id: expect.any(String),
      kind: 'oidc',
      name: 'Example Corp',
      issuer: 'https://login.example.com',
      client_id: 'gatehouse',
      secret_set: false,
      domains: [],
      create_members: false,
      default_role: 'member',
      role_ids: [],
      trust_idp_mfa: false,
      status: 'draft',
      callback_url: `http://localhost:8080/v1/auth/sso/${id}/callback`,
      last_test: null,
    };
    expect([created.status, created.json]).toEqual([201, connection]);
    expect((await user.browser.get(at(user))).json).toEqual({ items: [connection] });
    expect((await user.browser.get(at(user, id))).json).toEqual(connection);
    expect(await lastAudit(id)).toMatchObject({
      action: 'sso.connection.created',
      actor_id: user.user_id,
      metadata: { issuer: 'https://login.example.com', client_id: 'gatehouse', domains: [] },
    });

    const domain = await insertDomain(app, user);
    const change = {
      create_members: true,
      default_role: 'admin',
      trust_idp_mfa: true,
      domains: [domain.toUpperCase()],
    };
    const changed = await user.browser.patch(at(user, id), change);
    expect([changed.status, changed.json]).toEqual([200, { ...connection, ...change, domains: [domain] }]);
    expect(await lastAudit(id)).toMatchObject({
      action: 'sso.connection.updated',
      metadata: { fields: ['create_members', 'default_role', 'trust_idp_mfa', 'domains'], sessions: 0 },
    });
    expect((await user.browser.patch(at(user, id), change)).status).toBe(200);
    expect(await auditOf(app, { action: 'sso.connection.updated', resource_id: id })).toHaveLength(1);

    expect((await user.browser.delete(at(user, id))).status).toBe(204);
    expect((await user.browser.delete(at(user, id))).status).toBe(204);
    expect(await auditOf(app, { action: 'sso.connection.deleted', resource_id: id })).toHaveLength(1);
    expect((await user.browser.get(at(user))).json).toEqual({ items: [] });
    for (const [method, path] of [
      ['GET', at(user, id)],
      ['PATCH', at(user, id)],
      ...['test', 'activate', 'deactivate'].map((verb) => ['POST', at(user, id, verb)]),
      ['DELETE', at(user, '0198c5b2-7d3f-7c61-9f0e-0a4d7c1b2e3f')],
    ] as [string, string][]) {
      const body = method === 'PATCH' ? {} : undefined;
      expect([method, path, (await user.browser.send(method, path, { body })).status]).toEqual([method, path, 404]);
    }
    // The domain of a deleted connection can be used by another one.
    expect((await createConnection(user, provider, { domains: [domain] })).domains).toEqual([domain]);
  });

  it('are limited to five per organization, even if six are created concurrently', async () => {
    const user = await founder(app);
    const answers = await atOnce(6, () => user.browser.post(at(user), connectionTo(provider)));
    expect(tally(answers)).toEqual({ 201: 5, 409: 1 });
    const invalid = await user.browser.post(at(user), connectionTo(provider, { domains: ['elsewhere.example'] }));
    expect(invalid.status).toBe(400);
    await user.browser.delete(at(user, answers.find(({ status }) => status === 201)!.json.id));
    expect((await user.browser.post(at(user), connectionTo(provider))).status).toBe(201);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no name', { name: ' ' }],
    ['no client', { client_id: '' }],
    ['an issuer that is not a URL', { issuer: 'login.example.com' }],
    ['an issuer of another scheme', { issuer: 'ftp://login.example.com' }],
    ['an issuer with a password', { issuer: 'https://a:b@login.example.com' }],
    ['an issuer with a query', { issuer: 'https://login.example.com/?tenant=1' }],
    ['an issuer with a fragment', { issuer: 'https://login.example.com/#' }],
    ['another kind', { kind: 'saml' }],
    ['the default role owner', { default_role: 'owner' }],
    ['an unknown domain', { domains: ['elsewhere.example'] }],
    ['a text that is not a domain name', { domains: ['@example.com'] }],
    ['an unknown role', { role_ids: ['0198c5b2-7d3f-7c61-9f0e-0a4d7c1b2e3f'] }],
    ['an empty secret', { client_secret: '' }],
  ])('POST and PATCH return 400 for %s', async (_what, changes) => {
    const created = await owner.browser.post(at(owner), connectionTo(provider, changes));
    expect([created.status, created.json.error.code]).toEqual([400, 'invalid_input']);
    const user = await founder(app);
    const { id } = await createConnection(user, provider);
    if (changes.kind === undefined) expect((await user.browser.patch(at(user, id), changes)).status).toBe(400);
  });

  it('400 for a pending domain and a domain of another organization; 409 for a domain of another connection', async () => {
    const user = await founder(app);
    const [pending, foreign, taken] = [
      await insertDomain(app, user),
      await insertDomain(app, await founder(app)),
      await insertDomain(app, user),
    ];
    await app.deps.db.updateTable('domains').set({ verified_at: null }).where('domain', '=', pending).execute();
    const first = await createConnection(user, provider, { domains: [taken] });
    for (const [domains, status] of [
      [[pending], 400],
      [[foreign], 400],
      [[newDomain()], 400],
      [[taken, newDomain()], 400],
      [[taken], 409],
    ] as const) {
      const created = await user.browser.post(at(user), connectionTo(provider, { domains }));
      expect([domains, created.status]).toEqual([domains, status]);
    }
    expect((await user.browser.get(at(user))).json.items).toHaveLength(1);
    const { json } = await user.browser.patch(at(user, first.id), { domains: [] });
    expect(json.domains).toEqual([]);
    expect((await user.browser.post(at(user), connectionTo(provider, { domains: [taken] }))).status).toBe(201);
  });

  it('of two connections that take one domain concurrently, one gets it', async () => {
    const user = await founder(app);
    const domains = [await insertDomain(app, user)];
    const answers = await atOnce(2, () => user.browser.post(at(user), connectionTo(provider, { domains })));
    expect(tally(answers)).toEqual({ 201: 1, 409: 1 });
  });

  it('store the roles for new members; a deleted role is removed from this list', async () => {
    const user = await founder(app);
    const role = await user.browser.post(`/orgs/${user.organization_id}/roles`, { name: 'Accountant' });
    const foreign = await owner.browser.post(`/orgs/${owner.organization_id}/roles`, { name: 'Foreign' });
    const { id, role_ids } = await createConnection(user, provider, { role_ids: [role.json.id, role.json.id] });
    expect(role_ids).toEqual([role.json.id]);
    expect((await user.browser.patch(at(user, id), { role_ids: [foreign.json.id] })).status).toBe(400);
    await user.browser.delete(`/orgs/${user.organization_id}/roles/${role.json.id}`);
    expect((await user.browser.get(at(user, id))).json.role_ids).toEqual([]);
  });

  it('are 403 for members and admins, 404 in another organization, and require fresh authentication to write', async () => {
    const user = await founder(app);
    const { id } = await createConnection(user, provider);
    for (const role of ['member', 'admin'] as const) {
      expect((await (await colleague(app, user, role)).browser.get(at(user))).status).toBe(403);
    }
    const own = at(owner, id);
    expect((await owner.browser.get(own)).status).toBe(404);
    expect((await owner.browser.patch(own, { name: 'Taken' })).status).toBe(404);
    expect((await owner.browser.delete(own)).status).toBe(404);
    await setAuthTime(app, user.session_id, new Date(app.clock.now().getTime() - 16 * 60_000));
    await app.deps.sessions.reload(user.session_id);
    expect((await user.browser.get(at(user))).status).toBe(200);
    for (const answer of [
      await user.browser.post(at(user), connectionTo(provider)),
      await user.browser.patch(at(user, id), { name: 'Later' }),
      await user.browser.post(at(user, id, 'test')),
      await user.browser.post(at(user, id, 'activate')),
      await user.browser.delete(at(user, id)),
    ]) {
      expect([answer.status, answer.json.error.code]).toEqual([401, 'mfa_required']);
    }
  });
});

describe('the secret of a connection', () => {
  it('is sealed, bound to its row, and in no response, log line or audit row', async () => {
    const user = await founder(app);
    const client_secret = 'a very secret value';
    const { id, ...shown } = await createConnection(user, provider, { client_secret });
    await user.browser.patch(at(user, id), { client_secret: `${client_secret} 2` });
    expect(shown).toMatchObject({ secret_set: true });
    const { sealed_secret } = await rowOf(id);
    expect(sealed_secret).toMatch(/^v1:/);
    const written = JSON.stringify([shown, app.logs, await auditOf(app), await user.browser.get(at(user))]);
    expect(written).not.toContain(client_secret);
    expect(await lastAudit(id)).toMatchObject({ metadata: { fields: ['client_secret'] } });
  });

  it('is sealed under the new key by a rotation, which leaves a secret of a lost key unchanged', async () => {
    const user = await founder(app);
    const [first, second] = [await createConnection(user, provider), await createConnection(user, provider)];
    const lost = seal(createKeyring('a lost key'), { purpose: 'sso', row: second.id }, 'x');
    await app.deps.db.updateTable('sso_connections').set({ sealed_secret: lost }).where('id', '=', second.id).execute();
    const configKeyring = createKeyring('a new key', Buffer.from(CONFIG_KEY, 'base64'));
    const all = await app.deps.db
      .selectFrom('sso_connections')
      .select('id')
      .where('sealed_secret', 'is not', null)
      .execute();
    const rotate = () => resealColumn(app.deps.db, configKeyring, sealedColumnsOf('sso_connections')[0]!);
    expect(await rotate()).toEqual({ done: all.length - 1, lost: 1 });
    const { sealed_secret } = await rowOf(first.id);
    const opened = unseal(createKeyring('a new key'), { purpose: 'sso', row: first.id }, sealed_secret!);
    expect(opened?.toString('utf8')).toBe(CLIENT.client_secret);
    expect((await rowOf(second.id)).sealed_secret).toBe(lost);
    expect(await rotate()).toEqual({ done: 0, lost: 1 });
  });

  it('is rejected with 400 without the configuration key; a connection without a secret can be created', async () => {
    const without = await startSso({ environment: { CONFIG_ENCRYPTION_KEY: '' } });
    const user = await founder(without.app);
    const { status, json } = await user.browser.post(at(user), connectionTo(without.provider));
    expect([status, json.error.message]).toEqual([400, expect.stringMatching(/^client_secret: /)]);
    const { id } = await createConnection(user, without.provider, { client_secret: undefined });
    expect((await user.browser.patch(at(user, id), { client_secret: 'x' })).status).toBe(400);
    expect((await user.browser.patch(at(user, id), { client_secret: null })).status).toBe(200);
    await without.close();
  });
});

describe('a change of issuer, client or secret', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['issuer', { issuer: 'https://other.example.com' }, false],
    ['issuer and client_secret', { issuer: 'https://other.example.com', client_secret: 'new' }, true],
    ['client_id', { client_id: 'other' }, true],
    ['client_secret', { client_secret: 'new' }, true],
    ['client_secret null', { client_secret: null }, false],
  ])(
    '%s: the connection is a draft, its sessions end, and it must be tested again',
    async (_what, change, secret_set) => {
      const user = await founder(app);
      const { id } = await activeConnection(app, user, provider);
      const session = await ssoSession(user, id);
      const { status, json } = await user.browser.patch(at(user, id), change);
      expect([status, json.status, json.secret_set, json.last_test]).toEqual([200, 'draft', secret_set, null]);
      expect((await findSession(app, session.session_id))?.revoked_at).not.toBeNull();
      expect(await lastAudit(id)).toMatchObject({ action: 'sso.connection.updated', metadata: { sessions: 1 } });
      expect((await user.browser.post(at(user, id, 'activate'))).status).toBe(409);
    },
  );

  it('that sends the same values keeps the connection active and its sessions alive', async () => {
    const user = await founder(app);
    const { id } = await activeConnection(app, user, provider);
    const session = await ssoSession(user, id);
    const same = { issuer: provider.issuer, client_id: CLIENT.client_id, name: 'Renamed' };
    expect((await user.browser.patch(at(user, id), same)).json).toMatchObject({ status: 'active', name: 'Renamed' });
    expect((await findSession(app, session.session_id))?.revoked_at).toBeNull();
  });
});

describe('the sessions of a connection', () => {
  it.each<[string, (user: TestUser, id: string) => Promise<unknown>]>([
    ['it is deactivated', (user, id) => user.browser.post(at(user, id, 'deactivate'))],
    ['it is deleted', (user, id) => user.browser.delete(at(user, id))],
    ['it loses a domain', (user, id) => user.browser.patch(at(user, id), { domains: [] })],
  ])('end when %s, also at verifiers; other sessions continue', async (_what, act) => {
    const user = await founder(app);
    const domains = [await insertDomain(app, user)];
    const { id } = await activeConnection(app, user, provider, { domains });
    const other = await activeConnection(app, user, provider);
    const [session, elsewhere] = [await ssoSession(user, id), await ssoSession(user, other.id)];
    expect(await app.deps.sessions.find(session.session_id)).toBeDefined();
    const times = { now: app.clock.now(), expires_at: new Date(app.clock.now().getTime() + 3_600_000) };
    for (const one of [session, elsewhere]) await insertApplicationRows(app.deps.db, one, times);
    await sql`update application_grants g set connection_id = s.connection_id from sessions s
      where s.id = g.session_id`.execute(app.deps.db);
    await act(user, id);
    const grants = await app.deps.db.selectFrom('application_grants').select(['session_id', 'ended_at']).execute();
    const isEnded = (one: typeof session) => grants.find((row) => row.session_id === one.session_id)?.ended_at !== null;
    // The grant of the connection ends although it has the scope `offline_access`; the other one does not.
    expect([isEnded(session), isEnded(elsewhere)]).toEqual([true, false]);
    expect((await findSession(app, session.session_id))?.revoked_at).not.toBeNull();
    expect(await revocationsOf(app, session.session_id)).toHaveLength(1);
    expect(await app.deps.sessions.find(session.session_id)).toBeUndefined();
    expect((await findSession(app, elsewhere.session_id))?.revoked_at).toBeNull();
    expect((await user.browser.get(at(user))).status).toBe(200);
  });
});

describe('activation of a connection', () => {
  it('requires a passed test; activation and deactivation are audited once, and repeating them changes nothing', async () => {
    const user = await founder(app);
    const { id } = await createConnection(user, provider);
    const post = (verb: string) => user.browser.post(at(user, id, verb));
    expect((await post('activate')).status).toBe(409);
    await app.deps.db.updateTable('sso_connections').set({ tested_at: app.clock.now() }).where('id', '=', id).execute();
    for (const [verb, status] of [
      ['activate', 'active'],
      ['activate', 'active'],
      ['deactivate', 'draft'],
      ['deactivate', 'draft'],
      ['activate', 'active'],
    ] as const) {
      const answer = await post(verb);
      expect([answer.status, answer.json.status]).toEqual([200, status]);
    }
    const actions = (await auditOf(app, { resource_id: id })).map(({ action }) => action.split('.').at(-1));
    expect(actions).toEqual(['created', 'activated', 'deactivated', 'activated']);
  });
});

describe('while the policy requires single sign-on', () => {
  it('the last usable connection cannot be deactivated, deleted, changed to a draft, or lose its last domain', async () => {
    const user = await founder(app);
    const [domain, second] = [await insertDomain(app, user), await insertDomain(app, user)];
    const { id } = await activeConnection(app, user, provider, { domains: [domain, second] });
    const { organization_id } = user;
    await app.deps.db
      .updateTable('organizations')
      .set({ policy: JSON.stringify({ sso_required: true }) })
      .where('id', '=', organization_id)
      .execute();
    const session = await ssoSession(user, id);
    const attempts = async () => [
      (await user.browser.post(at(user, id, 'deactivate'))).status,
      (await user.browser.delete(at(user, id))).status,
      (await user.browser.patch(at(user, id), { client_secret: 'new' })).status,
      (await user.browser.patch(at(user, id), { domains: [] })).status,
    ];
    expect(await attempts()).toEqual([409, 409, 409, 409]);
    expect((await user.browser.get(at(user, id))).json).toMatchObject({
      status: 'active',
      domains: [domain, second].sort(),
    });
    expect((await findSession(app, session.session_id))?.revoked_at).toBeNull();
    expect((await user.browser.patch(at(user, id), { domains: [domain] })).status).toBe(200);

    const other = await activeConnection(app, user, provider);
    expect((await user.browser.post(at(user, id, 'deactivate'))).status).toBe(409);
    await user.browser.patch(at(user, other.id), { domains: [second] });
    expect((await user.browser.post(at(user, id, 'deactivate'))).status).toBe(200);
    expect((await user.browser.delete(at(user, id))).status).toBe(204);
    expect((await user.browser.delete(at(user, other.id))).status).toBe(409);
  });
});
