import { beforeEach, describe, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { setUser } from '../../../test/records.ts';
import { examineEmails } from './emails.ts';

const app = useTestApp();
beforeEach(async () => {
  await app.deps.db.updateTable('users').set({ status: 'deleted' }).execute();
});

const examine = () => examineEmails(app.deps.db);
/** Stores an email address without validation, as if it came from a version with other rules. */
const store = async (email: string) => {
  const { user_id } = await registerUser(app);
  await setUser(app, user_id, { email });
  return user_id;
};

describe('doctor: email addresses that are no longer valid', () => {
  it('is ok for valid ASCII and non-ASCII addresses', async () => {
    await registerUser(app);
    expect(await examine()).toMatchObject({ check: 'email addresses', status: 'ok', detail: 'all ASCII' });
    await store('jürgen@bücher.example');
    expect(await examine()).toMatchObject({ status: 'ok', detail: 'all valid under the current rules' });
  });

  it.each(['ada@\uff45xample.com', 'ada@exam\u00adple.com', 'Ärger@example.com', 'ada\u200b@example.com'])(
    'reports %j with the id of its user',
    async (email) => {
      const user_id = await store(email);
      const finding = await examine();
      expect(finding).toMatchObject({ status: 'warning', detail: expect.stringContaining('1 account') });
      expect(finding.fix).toContain(user_id);
      expect(finding.fix).toContain('update users set email');
    },
  );

  it('counts all invalid addresses, lists a few, and ignores deleted accounts', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await store(`${name}@\uff45xample.com`);
    const gone = await store('g@\uff45xample.com');
    await setUser(app, gone, { status: 'deleted' });
    const finding = await examine();
    expect(finding.detail).toContain('6 accounts');
    expect(finding.fix).toContain('and others');
    expect(finding.fix).not.toContain(gone);
  });
});
