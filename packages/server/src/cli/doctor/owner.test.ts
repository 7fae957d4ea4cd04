import { beforeEach, describe, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import { SECRET, useTestApp } from '../../../test/harness.ts';
import { endMemberships, setUser } from '../../../test/records.ts';
import { loadConfig } from '../../platform/config/load.ts';
import { examineInitialOwner, examineOwner } from './owner.ts';

const app = useTestApp();
beforeEach(async () => {
  await app.deps.db.updateTable('users').set({ status: 'deleted', platform_role: null }).execute();
  await app.deps.db.deleteFrom('milestones').execute();
});

const configWith = (INITIAL_OWNER_EMAIL?: string, NODE_ENV = 'development') =>
  loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'https://id.example.com', NODE_ENV, INITIAL_OWNER_EMAIL });
const examine = (...args: Parameters<typeof configWith>) => examineOwner(configWith(...args), app.deps.db);

const BOSS = 'boss@example.com';

describe('doctor, §1: at least one platform owner', () => {
  it('is ok with one owner or more, whatever INITIAL_OWNER_EMAIL is', async () => {
    await setUser(app, (await registerUser(app)).user_id, { platform_role: 'owner' });
    expect(await examine()).toMatchObject({ check: 'platform owner', status: 'ok', detail: 'there is one' });
    await setUser(app, (await registerUser(app)).user_id, { platform_role: 'owner' });
    expect(await examine(BOSS)).toMatchObject({ status: 'ok', detail: 'there are 2' });
  });

  it('warns if no owner has an organization to sign in to', async () => {
    const { user_id } = await registerUser(app);
    await setUser(app, user_id, { platform_role: 'owner' });
    await endMemberships(app, user_id);
    expect(await examine()).toMatchObject({
      status: 'warning',
      detail: 'no platform owner has an organization to sign in to',
    });
  });

  it('without an owner and without INITIAL_OWNER_EMAIL: says to set it, or to grant the role by command', async () => {
    const finding = await examine();
    expect(finding).toMatchObject({ status: 'warning', detail: 'there is none' });
    expect(finding.fix).toContain('INITIAL_OWNER_EMAIL');
    expect(finding.fix).toContain('`npx gatehouse admin grant <email>`');
  });

  it('does not count a disabled owner', async () => {
    await setUser(app, (await registerUser(app)).user_id, { platform_role: 'owner', status: 'disabled' });
    expect((await examine()).status).toBe('warning');
  });

  it('reports that INITIAL_OWNER_EMAIL has not registered yet', async () => {
    const finding = await examine(` ${BOSS.toUpperCase()} `);
    expect(finding.detail).toContain(`${BOSS} is not registered`);
    expect(finding.fix).toBe('Register with that email.');
    expect((await examine(BOSS, 'production')).fix).toContain('open the link');
  });

  it('reports in production that the account of INITIAL_OWNER_EMAIL is unverified', async () => {
    const { user_id } = await registerUser(app, { email: BOSS });
    const finding = await examine(BOSS, 'production');
    expect(finding).toMatchObject({ status: 'warning' });
    expect(finding.detail).toContain('its email is not verified');
    expect(finding.fix).toContain(`admin grant ${BOSS}`);
    await setUser(app, user_id, { email_verified_at: app.clock.now() });
    expect((await examine(BOSS, 'production')).detail).toContain('at the next start');
  });

  it('does not require in development that the account of INITIAL_OWNER_EMAIL is verified', async () => {
    await registerUser(app, { email: BOSS });
    expect((await examine(BOSS)).detail).toContain('at the next start');
  });

  it('reports that the account of INITIAL_OWNER_EMAIL is disabled', async () => {
    await setUser(app, (await registerUser(app, { email: BOSS })).user_id, { status: 'disabled' });
    expect((await examine(BOSS)).detail).toContain('is disabled');
  });

  it('reports that INITIAL_OWNER_EMAIL was already applied', async () => {
    await registerUser(app, { email: BOSS });
    await app.deps.db.insertInto('milestones').values({ name: 'initial_owner', reached_at: app.clock.now() }).execute();
    const finding = await examine(BOSS);
    expect(finding.detail).toContain('applies once');
    expect(finding.fix).toContain('admin grant');
  });
});

describe('doctor: INITIAL_OWNER_EMAIL', () => {
  it.each([undefined, BOSS, ` ${BOSS} `])('accepts %j', (setting) => {
    expect(examineInitialOwner(configWith(setting))).toEqual([]);
  });

  it.each(['boss', 'boss@', 'boss@example.com, other@example.com', 'Boss <boss@example.com>'])(
    'warns that %j is not an email address',
    async (setting) => {
      const [finding] = examineInitialOwner(configWith(setting));
      expect(finding).toMatchObject({ check: 'INITIAL_OWNER_EMAIL', status: 'warning' });
      expect(finding!.detail).toContain('is not an email address');
      expect(finding!.fix).toContain('admin grant');
      expect(await examine(setting)).toMatchObject({
        check: 'platform owner',
        status: 'warning',
        detail: 'there is none',
      });
    },
  );
});
