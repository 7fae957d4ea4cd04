import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, createBrowser, registerUser } from '../../../test/browser.ts';
import { auditOf, lockUserRow, setUser, untilBlocked } from '../../../test/records.ts';
import { type SsoPlace, startSso } from '../../../test/sso-fixture.ts';
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

describe('§13.3 lock order: users, organizations, connections, domains, identities', () => {
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
])('§13.3 a subject is not linked if %s during the sign-in', async (_what, changes) => {
  const own = await createCompany(place.app, place.provider);
  const person = await registerUser(place.app, { email: own.email() });
  const release = await lockUserRow(place.app, person.user_id);
  const answer = signInBySso(place, own, { email: person.email });
  await untilBlocked(place.app, 1);
  await release((tx) => tx.updateTable('sso_connections').set(changes).where('id', '=', own.connection_id).execute());
  expect(outcomeOf(await answer)).toBe('401 account_refused');
});

it('§13.3 the last owner cannot delete the account while a member joins by single sign-on', async () => {
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

describe('§13.3 the first sign-in, several times at once', () => {
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
