import { describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD } from '../../../../test/browser.ts';
import { useTestApp } from '../../../../test/harness.ts';
import { signInByCode } from './squat-fixture.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

const app = useTestApp();

describe('extensions.account of a session', () => {
  it('extensions.account shows when and with which device the account was created, while it has unproven credentials', async () => {
    const email = newEmail();
    const created_at = app.clock.now().toISOString();
    const registration = { email, password: PASSWORD, organization_name: 'Example' };
    const registered = await createBrowser(app).post('/auth/register', registration, {
      headers: { 'user-agent': FIREFOX },
    });
    expect(registered.json.user.extensions).toEqual({});
    app.clock.advance(60);
    const { browser, answer } = await signInByCode(app, email);
    const extensions = {
      unproven_credentials: ['password'],
      account: { created_at, device: 'Firefox on Linux' },
    };
    expect(answer.json.user.extensions).toEqual(extensions);
    expect((await browser.get('/auth/session')).json.user.extensions).toEqual(extensions);
    await browser.post('/auth/reclaim');
    expect((await browser.get('/auth/session')).json.user.extensions).toEqual({});
  });
});
