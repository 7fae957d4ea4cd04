import { type Ask, type Browser, createBrowser, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';
import { auditOf, setSession, setUser } from '../../../test/records.ts';
import type { Tx } from '../../platform/db/connect.ts';

export async function registerWithMfa(app: TestApp): Promise<TestUser> {
  const user = await registerUser(app);
  await setUser(app, user.user_id, { mfa_enabled_at: app.clock.now() });
  await reach(app, user.session_id, 'aal2');
  return user;
}

/** Sets the assurance level of a session, also in the caches of the service. */
export async function reach(app: TestApp, session_id: string, aal: 'aal1' | 'aal2'): Promise<void> {
  await setSession(app, session_id, { aal, mfa_verified_at: aal === 'aal2' ? app.clock.now() : null });
  await app.deps.bus.deliver([{ topic: 'session', key: session_id }]);
}

export const trust = (browser: Browser, body: unknown = {}, ask?: Ask) =>
  browser.post('/auth/trusted-browsers', body, ask);

export async function trusted(browser: Browser, name = 'Browser'): Promise<{ id: string; token: string }> {
  const answer = await trust(browser, { name });
  if (answer.status !== 201) throw new Error(`trust was answered ${answer.status}: ${answer.text}`);
  return { id: answer.json.id, token: browser.jar.get('service_trust')! };
}

export const loginWith = (app: TestApp, { email }: TestUser, token: string) =>
  createBrowser(app, new Map([['service_trust', token]])).post('/auth/login', { email, password: PASSWORD });

export const listOf = async (browser: Browser) => (await browser.get('/auth/trusted-browsers')).json.items;

export const rowsOf = ({ deps }: TestApp, { user_id }: TestUser) =>
  deps.db.selectFrom('trusted_browsers').selectAll().where('user_id', '=', user_id).orderBy('created_at').execute();

export const livingOf = async (app: TestApp, user: TestUser) =>
  (await rowsOf(app, user)).filter(({ revoked_at }) => revoked_at === null);

/** Audited changes of the user's trusted browsers, as `action id`. */
export const events = async (app: TestApp, { user_id }: TestUser) => {
  const action = ['trusted_browser.added', 'trusted_browser.revoked'] as const;
  return (await auditOf(app, { actor_id: user_id, action })).map((row) => `${row.action} ${row.resource_id}`);
};

/** Runs a change in a transaction that stays open until the returned function commits it. */
export async function underWay({ deps }: TestApp, change: (tx: Tx) => Promise<unknown>) {
  const tx = await deps.db.startTransaction().execute();
  await change(tx);
  return () => tx.commit().execute();
}

/** Fails if another transaction has locked the row of this trusted browser. */
export const touch = ({ deps }: TestApp, id: string) =>
  deps.db
    .selectFrom('trusted_browsers')
    .select('id')
    .where('id', '=', id)
    .forUpdate()
    .noWait()
    .executeTakeFirstOrThrow();
