import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, registerUser, type TestUser } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { oneTimeTokensOf } from '../../../test/records.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';

// Behavior shared with POST /auth/email-otp/request, which also always returns 204, is in `answer-by-mail.test.ts`.
let app: TestApp;
beforeAll(async () => {
  const environment = { PUBLIC_BASE_URL: 'https://id.example.com', TRUST_PROXY: '127.0.0.1' };
  app = await startTestApp({ environment });
});
afterAll(() => app.close());

const ask = ({ email }: TestUser, headers: Record<string, string> = {}) =>
  createBrowser(app).post('/auth/password/forgot', { email }, { headers });
const reset = (token: string) =>
  createBrowser(app).post('/auth/password/reset', { token, new_password: 'another correct horse' });
const listTokens = ({ user_id }: TestUser) => oneTimeTokensOf(app, user_id, 'password_reset');

describe('§4.6 the link', () => {
  it('the link carries 32 bytes of URL-safe base64, stored only as SHA-256, valid for an hour', async () => {
    const user = await registerUser(app);
    await ask(user);
    const token = await app.mailbox.takeToken(user.email, 'reset-password');
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const [row] = await listTokens(user);
    expect(row!.token_hash.equals(hashToken(token))).toBe(true);
    expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(3_600_000);
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it('a new link invalidates the old one', async () => {
    const user = await registerUser(app);
    await ask(user);
    const first = await app.mailbox.takeToken(user.email, 'reset-password');
    await ask(user);
    const second = await app.mailbox.takeToken(user.email, 'reset-password');
    expect(await listTokens(user)).toHaveLength(1);
    expect((await reset(first)).status).toBe(401);
    expect((await reset(second)).status).toBe(204);
  });

  describe('the URL of the reset link', () => {
    let user: TestUser;
    beforeAll(async () => {
      user = await registerUser(app);
      await app.mailbox.take(user.email);
    });

    it.each([
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
      { 'x-forwarded-for': '203.0.113.7, evil.example' },
      { forwarded: 'host=evil.example;proto=http;for=203.0.113.7' },
      { origin: 'https://evil.example', referer: 'https://evil.example/reset-password' },
      { 'x-original-url': 'https://evil.example/', 'x-rewrite-url': '/evil.example' },
    ])('the link uses PUBLIC_BASE_URL, whatever the request headers are: %j', async (headers) => {
      expect((await ask(user, headers)).status).toBe(204);
      const [mail] = await app.mailbox.take(user.email);
      const links = [...`${mail!.text} ${mail!.html}`.matchAll(/https?:\/\/[^\s"<]*[\w/-]/g)].map(
        ([link]) => new URL(link),
      );
      expect(links.length).toBeGreaterThan(1);
      expect(new Set(links.map(({ origin }) => origin))).toEqual(new Set(['https://id.example.com']));
      expect(mail!.text).toMatch(/^https:\/\/id\.example\.com\/reset-password\?token=[\w-]{43}$/m);
      expect(JSON.stringify(mail)).not.toContain('evil');
    });
  });

  it('over the mail limit the earlier link stays valid', async () => {
    const user = await registerUser(app);
    for (let index = 0; index < 9; index++) await ask(user);
    await app.mailbox.take(user.email);
    await ask(user);
    const last = await app.mailbox.takeToken(user.email, 'reset-password');
    await ask(user);
    expect(await app.mailbox.take(user.email)).toEqual([]);
    expect((await reset(last)).status).toBe(204);
  });
});
