import { describe, expect, it } from 'vitest';
import { insertAdministrator } from '../../../test/administrator.ts';
import { createBrowser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { setUser } from '../../../test/records.ts';

const app = useTestApp();

describe('GET /auth/setup', () => {
  it('reports to any signed-in user whether there is an active platform owner', async () => {
    const user = await insertAdministrator(app, null);
    const answer = await user.get('/auth/setup');
    expect(answer).toMatchObject({ status: 200, json: { platform_owner: false } });
    const platformOwner = async () => (await user.get('/auth/setup')).json.platform_owner;
    await insertAdministrator(app, 'admin');
    expect(await platformOwner()).toBe(false);
    const { user_id } = await insertAdministrator(app, 'owner');
    expect(await platformOwner()).toBe(true);
    await setUser(app, user_id, { status: 'disabled' });
    expect(await platformOwner()).toBe(false);
  });

  it('401 without a session', async () => {
    expect((await createBrowser(app).get('/auth/setup')).status).toBe(401);
  });
});
