import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, atOnce, createBrowser, registerUser } from '../../../test/browser.ts';
import { auditOf, findUser, lockUserRow, setUser, untilBlocked } from '../../../test/records.ts';
import { type SsoPlace, startSso } from '../../../test/sso-fixture.ts';
import { colleague, findMembership, updateMembership } from '../../../test/team.ts';
import { lock } from '../../platform/db/lock.ts';
import { linkIdentity } from '../email-verification/reclaim/squat-fixture.ts';
import { createRole } from '../roles/roles-fixture.ts';
import {
  authorizeAtProvider,
  type Company,
  createCompany,
  openCallback,
  outcomeOf,
  signInBySso,
} from './sign-in-fixture.ts';

let place: SsoPlace;
let company: Company;
beforeAll(async () => {
  // No DNS server responds there, so each look-up is without an answer.
  place = await startSso({ environment: { DNS_SERVERS: '127.0.0.1:9' } });
  company = await createCompany(place.app, place.provider);
});
afterAll(() => place.close());

type Table = 'users' | 'organizations' | 'sso_connections' | 'domains' | 'sso_identities';

interface Scene {
  readonly company: Company;
  /** The id of the row of each table that the request uses. */
  readonly ids: Readonly<Record<Table, string>>;
  readonly signIn: () => Promise<unknown>;
}

async function prepare({ mfa = false } = {}): Promise<Scene> {
  const own = await createCompany(place.app, place.provider);
  const user = { sub: own.connection_id, email: own.email() };
  const first = await signInBySso(place, own, user);
  const { user_id } = first.json.user;
  if (mfa) await setUser(place.app, user_id, { mfa_enabled_at: place.app.clock.now() });
  const { db } = place.app.deps;
  const idOf = (table: 'domains' | 'sso_identities') =>
    db.selectFrom(table).select('id').where('connection_id', '=', own.connection_id).executeTakeFirstOrThrow();
  const browser = createBrowser(place.app);
  place.provider.user = { ...user, email_verified: true };
  const path = await authorizeAtProvider(place.provider, browser, own.connection_id);
  return {
    company: own,
    ids: {
      users: user_id,
      organizations: own.organization_id,
      sso_connections: own.connection_id,
      domains: (await idOf('domains')).id,
      sso_identities: (await idOf('sso_identities')).id,
    },
    signIn: () => openCallback(browser, path),
  };
}

describe('lock order of single sign-on: users, organizations, connections, domains, identities', () => {
  const signIn = ({ signIn }: Scene) => signIn();
  const removeDomain = ({ company: { owner, organization_id }, ids }: Scene) =>
    owner.browser.delete(`/orgs/${organization_id}/domains/${ids.domains}`);
  const changeDomains = ({ company: { owner, organization_id, connection_id } }: Scene) =>
    owner.browser.patch(`/orgs/${organization_id}/sso-connections/${connection_id}`, { domains: [] });
  const lapse = async ({ ids: { domains } }: Scene) => {
    const now = place.app.clock.now();
    const failing_since = new Date(now.getTime() - 8 * 86_400_000);
    const changes = { failing_since, next_check_at: now };
    await place.app.deps.db.updateTable('domains').set(changes).where('id', '=', domains).execute();
    await place.app.domainChecks.checkDue();
  };

  it.each<[string, Table, Table, (scene: Scene) => Promise<unknown>, { mfa: boolean }?]>([
    ['a sign-in', 'users', 'sso_identities', signIn],
    ['a sign-in', 'organizations', 'sso_connections', signIn],
    ['a sign-in', 'sso_connections', 'domains', signIn],
    ['a sign-in with a second factor', 'users', 'sso_identities', signIn, { mfa: true }],
    ['the removal of a domain', 'organizations', 'sso_connections', removeDomain],
    ['the removal of a domain', 'sso_connections', 'domains', removeDomain],
    ['the lapse of a domain', 'organizations', 'domains', lapse],
    ['the lapse of a domain', 'sso_connections', 'domains', lapse],
    ['a change of the domains', 'sso_connections', 'domains', changeDomains],
  ])('%s that waits for %s has not locked %s yet', async (_what, first, later, act, options) => {
    const scene = await prepare(options);
    const blocker = await place.app.deps.db.startTransaction().execute();
    const lock = (table: Table) =>
      sql`select from ${sql.table(table)} where id = ${scene.ids[table]}::uuid for update nowait`.execute(blocker);
    await lock(first);
    const acting = act(scene);
    try {
      await untilBlocked(place.app, 1);
      await lock(later);
    } finally {
      await blocker.rollback().execute();
      await acting;
    }
  });
});

it.each([
  ['the issuer of the connection changes', { issuer: 'https://other.example.com' }],
  ['the connection stops adding members', { create_members: false }],
])('a subject is not linked if %s during the sign-in', async (_what, changes) => {
  const own = await createCompany(place.app, place.provider);
  const person = await registerUser(place.app, { email: own.email() });
  const release = await lockUserRow(place.app, person.user_id);
  const answer = signInBySso(place, own, { email: person.email });
  await untilBlocked(place.app, 1);
  await release((tx) => tx.updateTable('sso_connections').set(changes).where('id', '=', own.connection_id).execute());
  expect(outcomeOf(await answer)).toBe('401 account_refused');
});

it('the last owner cannot delete the account while a member joins by single sign-on', async () => {
  const own = await createCompany(place.app, place.provider);
  const blocker = await place.app.deps.db.startTransaction().execute();
  const row = sql`select from sso_connections where id = ${own.connection_id}::uuid for update`;
  await row.execute(blocker);
  const joining = signInBySso(place, own, { email: own.email() });
  await untilBlocked(place.app, 1);
  const removing = own.owner.browser.delete('/users/me', { body: {} });
  await untilBlocked(place.app, 2);
  await blocker.rollback().execute();
  expect(outcomeOf(await joining)).toBe('success');
  expect(await removing).toMatchObject({ status: 409, json: { error: { code: 'conflict' } } });
});

it('no member joins while the last owner, who is alone since a moment ago, deletes the account', async () => {
  const own = await createCompany(place.app, place.provider);
  const { owner, organization_id } = own;
  const { db } = place.app.deps;
  const other = await colleague(place.app, owner);
  const leaving = await db.startTransaction().execute();
  await lock(leaving, `owners of ${organization_id}`);
  const later = await db.startTransaction().execute();
  const identity = await linkIdentity(place.app, owner.user_id);
  await later.selectFrom('identities').select('id').where('id', '=', identity).forUpdate().execute();
  const removing = owner.browser.delete('/users/me', { body: {} });
  await untilBlocked(place.app, 1);
  const revoked = { revoked_at: place.app.clock.now() };
  await leaving.updateTable('memberships').set(revoked).where('user_id', '=', other.user_id).execute();
  await leaving.commit().execute();
  // Until the deletion waits for the row of the identity instead of the advisory lock.
  const waiting = sql<{ wait_event: string }>`select wait_event from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows).toEqual([{ wait_event: 'transactionid' }]);
  const joining = signInBySso(place, own, { email: own.email() });
  await untilBlocked(place.app, 2);
  await later.rollback().execute();
  expect([(await removing).status, outcomeOf(await joining)]).toEqual([204, '401 account_refused']);
});

describe('the first single sign-on, several times at once', () => {
  it.each([
    ['creates', false],
    ['accepts an invitation for', true],
  ])('%s one account', async (_what, invited) => {
    const own = invited ? await createCompany(place.app, place.provider, { create_members: false }) : company;
    const email = own.email();
    const invitation = { email, role: 'member' };
    if (invited) await own.owner.browser.post(`/orgs/${own.organization_id}/invitations`, invitation);
    const answers = await atOnce(6, () => signInBySso(place, own, { sub: email, email }));
    expect(answers.map(outcomeOf)).toEqual(answers.map(() => 'success'));
    const [user_id, ...others] = new Set(answers.map(({ json }) => json.user.user_id));
    expect(others).toEqual([]);
    expect(await auditOf(place.app, { resource_id: user_id!, action: 'auth.sso.linked' })).toHaveLength(1);
  });
});

describe('a connection that changes during a sign-in', () => {
  /** A sign-in of a new member waits for the user's row while `change` is made. */
  async function during(settings: object, claims: object, change: (company: Company) => Promise<Answer>) {
    const own = await createCompany(place.app, place.provider, { ...settings });
    const person = await registerUser(place.app, { email: own.email() });
    const release = await lockUserRow(place.app, person.user_id);
    const answer = signInBySso(place, own, { email: person.email, ...claims });
    await untilBlocked(place.app, 1);
    expect((await change(own)).status).toBeLessThan(300);
    await release();
    return { own, person, answer: await answer };
  }
  const patch = (changes: object) => async (company: Company) => {
    const path = `/orgs/${company.organization_id}/sso-connections/${company.connection_id}`;
    return company.owner.browser.patch(path, changes);
  };

  it('has lost the domain: nothing is written', async () => {
    const { db } = place.app.deps;
    const { own, person, answer } = await during({}, {}, async ({ organization_id, connection_id, owner }) => {
      const domains = db.selectFrom('domains').select('id').where('connection_id', '=', connection_id);
      const { id } = await domains.executeTakeFirstOrThrow();
      return owner.browser.delete(`/orgs/${organization_id}/domains/${id}`);
    });
    expect(outcomeOf(answer)).toBe('401 account_refused');
    const links = db.selectFrom('sso_identities').select('id').where('connection_id', '=', own.connection_id);
    expect(await links.execute()).toEqual([]);
    const { organization_id } = own;
    expect(await findMembership(place.app, { organization_id, user_id: person.user_id })).toBeUndefined();
    const user = await findUser(place.app, person.user_id);
    expect([user.email_verified_at, user.password_hash]).toEqual([null, expect.any(String)]);
  });

  it('has another default role: the new member gets the new default role', async () => {
    const { answer } = await during({ default_role: 'admin' }, {}, patch({ default_role: 'member' }));
    expect([outcomeOf(answer), answer.json.capabilities.role]).toEqual(['success', 'member']);
  });

  it('has another role for new members: the new member gets the new role', async () => {
    const { answer, own } = await during({}, {}, async (company) => {
      const { id } = await createRole(company.owner, { name: 'Reader', slug: 'reader' });
      return patch({ role_ids: [id] })(company);
    });
    expect([outcomeOf(answer), answer.json.capabilities.roles, own.owner.organization_id]).toEqual([
      'success',
      ['reader'],
      own.organization_id,
    ]);
  });

  it.each([
    ['a new member', false],
    ['a linked one', true],
  ])('stops trusting the second factor of the provider: the session is aal1, for %s', async (_, linked) => {
    const own = await createCompany(place.app, place.provider, { trust_idp_mfa: true });
    const person = { sub: own.connection_id, email: own.email(), amr: ['mfa'] };
    const first = linked ? await signInBySso(place, own, person) : undefined;
    const { user_id } = first?.json.user ?? (await registerUser(place.app, { email: person.email }));
    const release = await lockUserRow(place.app, user_id);
    const answer = signInBySso(place, own, person);
    await untilBlocked(place.app, 1);
    expect((await patch({ trust_idp_mfa: false })(own)).status).toBe(200);
    await release();
    expect([outcomeOf(await answer), (await answer).json.user.aal]).toEqual(['success', 'aal1']);
  });
});

it('the former email of a member who was added again can be used, also if a server of version 0.1 added the member', async () => {
  const own = await createCompany(place.app, place.provider);
  const { organization_id } = own;
  const person = await colleague(place.app, own.owner);
  const email = own.email();
  await setUser(place.app, person.user_id, { email });
  const path = `/orgs/${organization_id}/members/${person.user_id}`;
  expect((await own.owner.browser.delete(path)).status).toBe(204);
  // Such a server leaves `revoked_email` as it is.
  await updateMembership(place.app, { organization_id, user_id: person.user_id }, { revoked_at: null });
  await setUser(place.app, person.user_id, { email: own.email() });
  expect(outcomeOf(await signInBySso(place, own, { email }))).toBe('success');
});
