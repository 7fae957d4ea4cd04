import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countSessions, lockUserRow, untilBlocked } from '../../../test/records.ts';
import type { Tx } from '../../platform/db/connect.ts';
import {
  arriveBy,
  identitiesOf,
  newAccount,
  newUser,
  signInWith,
  startThirdParties,
  type ThirdParties,
  wordOf,
} from './oauth-fixture.ts';

let third: ThirdParties;
beforeAll(async () => {
  third = await startThirdParties();
});
afterAll(() => third.close());

const google = () => third.fakes.oauth_a;
const signIn = () => signInWith(third.app, google());

describe('changes during a third-party sign-in', () => {
  /** Starts a sign-in that waits for the user's row, and applies the change before it continues. */
  const during = async (user_id: string, change: (tx: Tx) => Promise<unknown>) => {
    const letGo = await lockUserRow(third.app, user_id);
    const signingIn = signIn();
    await untilBlocked(third.app, 1);
    await letGo(change);
    return signingIn;
  };

  it('an identity that is removed during the sign-in is handled like a new one', async () => {
    const { app } = third;
    const registered = await arriveBy(app, google());
    const answer = await during(registered.user_id, (tx) =>
      tx
        .updateTable('identities')
        .set({ revoked_at: app.clock.now(), subject: null, email: null })
        .where('user_id', '=', registered.user_id)
        .execute(),
    );
    expect(wordOf(answer)).toBe('account_exists');
    expect(await countSessions(app, registered.user_id)).toBe(1);
  });

  it.each([
    ['is disabled', { status: 'disabled' }, 'account_refused'],
    ['loses its verified email', { email_verified_at: null }, 'account_exists'],
  ] as const)('an account that concurrently %s is not linked', async (_name, changes, word) => {
    const { app } = third;
    const account = await newAccount(app);
    newUser(google(), { email: account.email });
    const answer = await during(account.user_id, (tx) =>
      tx.updateTable('users').set(changes).where('id', '=', account.user_id).execute(),
    );
    expect(wordOf(answer)).toBe(word);
    expect(await identitiesOf(app, account.user_id)).toEqual([]);
    expect(await countSessions(app, account.user_id)).toBe(1);
  });

  it('an account that concurrently gets another email is not linked, and a new account is created', async () => {
    const { app } = third;
    const account = await newAccount(app);
    newUser(google(), { email: account.email });
    const email = `moved-${account.email}`;
    const answer = await during(account.user_id, (tx) =>
      tx.updateTable('users').set({ email }).where('id', '=', account.user_id).execute(),
    );
    expect(answer.json.user).toMatchObject({ email: account.email, email_verified: false });
    expect(answer.json.user.user_id).not.toBe(account.user_id);
    expect(await identitiesOf(app, account.user_id)).toEqual([]);
  });

  it('if the same identity concurrently registers an account, the sign-in is to that account', async () => {
    const { app } = third;
    const account = await newAccount(app, { email_verified_at: null });
    const { email, subject } = newUser(google());
    const blocker = await app.deps.db.startTransaction().execute();
    // The sign-in does not find the identity, but finds the account once the lock is released.
    await sql`lock table users in access exclusive mode`.execute(blocker);
    const signingIn = signIn();
    await untilBlocked(app, 1);
    await blocker.updateTable('users').set({ email: email! }).where('id', '=', account.user_id).execute();
    const [id, linked_at, issuer] = [uuid(), app.clock.now(), google().url];
    const row = { id, user_id: account.user_id, provider: 'oauth_a', issuer, subject, linked_at } as const;
    await blocker.insertInto('identities').values(row).execute();
    await blocker.commit().execute();
    expect((await signingIn).json.user?.user_id).toBe(account.user_id);
    expect(await identitiesOf(app, account.user_id)).toHaveLength(1);
  });

  it.each(['returning', 'first'])('MFA enabled concurrently requires the second factor (%s sign-in)', async (which) => {
    const { app } = third;
    const account = which === 'first' ? await newAccount(app) : await arriveBy(app, google());
    if (which === 'first') newUser(google(), { email: account.email });
    const mfa_enabled_at = app.clock.now();
    const answer = await during(account.user_id, (tx) =>
      tx.updateTable('users').set({ mfa_enabled_at }).where('id', '=', account.user_id).execute(),
    );
    expect(answer.json.status).toBe('mfa_required');
    expect(await countSessions(app, account.user_id)).toBe(1);
    expect(await identitiesOf(app, account.user_id)).toHaveLength(1);
  });
});
