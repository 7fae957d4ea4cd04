import { NIL_UUID } from '@gatehouse/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, registerUser, type TestUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { enrol } from '../../../test/second-factor.ts';
import { transact } from '../../platform/db/transact.ts';
import { changePlatformRole } from '../authorization/platform-role.ts';
import { SYSTEM } from '../kernel/caller.ts';

const app = useTestApp();
let user: TestUser;
beforeAll(async () => {
  user = await registerUser(app);
});

async function rowsOf(act: () => Promise<unknown>) {
  const before = await app.deps.db.selectFrom('audit_events').select('id').orderBy('id', 'desc').limit(1).execute();
  await act();
  const rows = app.deps.db.selectFrom('audit_events').selectAll().orderBy('id');
  return rows.where('id', '>', before[0]?.id ?? 0).execute();
}

const post = (path: string, body: unknown) => createBrowser(app).post(path, body);

describe('actor_type', () => {
  const UNPROVED: [string, () => Promise<unknown>][] = [
    ['a wrong password', () => post('/auth/login', { email: user.email, password: 'wrong, and long enough' })],
    ['a request for an emailed code', () => post('/auth/email-otp/request', { email: user.email })],
    ['a wrong emailed code', () => post('/auth/email-otp/verify', { email: user.email, code: '000000' })],
    ['a request for a reset link', () => post('/auth/password/forgot', { email: user.email })],
  ];
  it.each(UNPROVED)(
    '%s of a known account has the actor_type anonymous, and names the account as resource',
    async (_name, act) => {
      const rows = await rowsOf(act);
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({
        actor_type: 'anonymous',
        actor_id: null,
        resource_type: 'user',
        resource_id: user.user_id,
        organization_id: user.organization_id,
      });
    },
  );

  const UNKNOWN: [string, (email: string) => Promise<unknown>][] = [
    ['a password', (email) => post('/auth/login', { email, password: PASSWORD })],
    ['a request for an emailed code', (email) => post('/auth/email-otp/request', { email })],
    ['an emailed code', (email) => post('/auth/email-otp/verify', { email, code: '000000' })],
    ['a request for a reset link', (email) => post('/auth/password/forgot', { email })],
  ];
  it.each(UNKNOWN)('%s for an unknown email has the actor_type anonymous', async (_name, act) => {
    const rows = await rowsOf(() => act(newEmail()));
    expect(rows).toMatchObject([{ actor_type: 'anonymous', actor_id: null, resource_id: NIL_UUID }]);
  });

  it('the actor is the account whose credential was proved: by password, mailed link or registration', async () => {
    const asUser = { actor_type: 'user', actor_id: user.user_id };
    expect(await rowsOf(() => post('/auth/login', { email: user.email, password: PASSWORD }))).toMatchObject([asUser]);
    const token = await app.mailbox.takeToken(user.email, 'verify-email');
    expect(await rowsOf(() => post('/auth/email/verify', { token }))).toMatchObject([asUser]);
    let newUser: TestUser | undefined;
    const rows = await rowsOf(async () => {
      newUser = await registerUser(app);
    });
    expect(rows.map(({ action }) => action)).toEqual(['auth.register', 'org.created']);
    for (const row of rows) expect(row).toMatchObject({ actor_type: 'user', actor_id: newUser!.user_id });
  });

  it('the actor of a wrong second factor is the account, because the first factor was proved', async () => {
    const owner = await registerUser(app);
    await enrol(app, owner);
    const { json } = await post('/auth/login', { email: owner.email, password: PASSWORD });
    const rows = await rowsOf(() => post('/auth/mfa/challenge', { mfa_token: json.mfa_token, code: '000000' }));
    expect(rows).toMatchObject([
      { action: 'auth.mfa.challenge.failed', actor_type: 'user', actor_id: owner.user_id, outcome: 'failure' },
    ]);
  });

  it('the actor of a wrong password typed by a signed-in user is that user', async () => {
    const given = { current_password: 'wrong, and long enough', new_password: 'another long enough password' };
    const rows = await rowsOf(() => user.browser.post('/users/me/password', given));
    expect(rows).toMatchObject([{ actor_type: 'user', actor_id: user.user_id, outcome: 'failure' }]);
  });

  it('is system for actions of the service and the command line', async () => {
    const { db } = app.deps;
    const { user_id } = user;
    const grant = () => transact(db, (tx) => changePlatformRole(tx, app.deps, SYSTEM, { user_id, role: 'viewer' }));
    expect(await rowsOf(grant)).toMatchObject([
      { action: 'platform_role.changed', actor_type: 'system', actor_id: null, resource_id: user_id },
    ]);
  });
});
