import { describe, expect, it } from 'vitest';
import { insertSession, useTestApp } from '../../../test/harness.ts';
import { setSession, setUser } from '../../../test/records.ts';
import { COMMAND_LINE, type Requirements, SYSTEM } from '../kernel/caller.ts';
import { transactAs } from './transact-as.ts';

const app = useTestApp();

const NOTHING: Requirements = { permissions: [], platform_role: undefined, fresh: false };

/** A caller whose guards have passed, on a route with these requirements. */
async function admitted(requirements: Partial<Requirements>, options: Parameters<typeof insertSession>[1] = {}) {
  const inserted = await insertSession(app, options);
  const session = (await app.deps.sessions.find(inserted.session_id))!;
  const caller = {
    ...SYSTEM,
    principal: { kind: 'user', session },
    requirements: { ...NOTHING, ...requirements },
  } as const;
  const steps: string[] = [];
  const act = () =>
    transactAs({ deps: app.deps, caller }, { locks: async () => steps.push('locked') }, async (_tx, { locked }) => {
      steps.push('worked');
      return locked;
    });
  return { ...inserted, caller, act, steps };
}

const setRole = ({ user_id }: { user_id: string }) =>
  app.deps.db.updateTable('memberships').set({ role: 'member' }).where('user_id', '=', user_id).execute();

describe('transactAs', () => {
  it('takes the locks of the use case first, and passes their result on', async () => {
    const { act, steps } = await admitted({ permissions: ['org.update'], fresh: true });
    expect(await act()).toBe(1);
    expect(steps).toEqual(['locked', 'worked']);
  });

  it('is 403 if the caller has lost the permission since the guard ran', async () => {
    const user = await admitted({ permissions: ['org.update'] });
    await setRole(user);
    await expect(user.act()).rejects.toMatchObject({ code: 'forbidden' });
    expect(user.steps).toEqual(['locked']);
  });

  it('is 403 if the caller has lost the platform role since the guard ran', async () => {
    const user = await admitted({ platform_role: 'admin' }, { platform_role: 'admin' });
    await setUser(app, user.user_id, { platform_role: 'viewer' });
    await expect(user.act()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is 401 if the sign-in is no longer recent', async () => {
    const user = await admitted({ permissions: ['org.update'], fresh: true });
    app.clock.advance(16 * 60);
    await expect(user.act()).rejects.toMatchObject({ code: 'mfa_required' });
  });

  it('is 403, not 401, if the caller has lost the permission and the sign-in is no longer recent', async () => {
    const user = await admitted({ permissions: ['org.update'], fresh: true });
    await setRole(user);
    app.clock.advance(16 * 60);
    await expect(user.act()).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('is 401 if the session was revoked, also on a route without further requirements', async () => {
    const user = await admitted({});
    await setSession(app, user.session_id, { revoked_at: app.clock.now() });
    await expect(user.act()).rejects.toMatchObject({ code: 'authentication_required' });
  });

  it('checks nothing for the command line', async () => {
    expect(await transactAs({ deps: app.deps, caller: COMMAND_LINE }, {}, async () => 'done')).toBe('done');
  });
});
