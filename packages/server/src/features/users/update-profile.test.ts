import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, bearer, createBrowser, newEmail, registerUser, type TestUser, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, findUser, setUser } from '../../../test/records.ts';

const app = useTestApp();

const trail = ({ user_id }: TestUser) => auditOf(app, { resource_id: user_id, action: 'user.updated' });
const row = ({ user_id }: TestUser) => findUser(app, user_id);

describe('PATCH /users/me', () => {
  it('changes name and language, returns the new record, and is audited', async () => {
    const account = await registerUser(app, { display_name: 'Before' });
    app.clock.advance(5);
    const answer = await account.browser.patch('/users/me', { display_name: '  Ada Lovelace ', locale: 'DE-ch' });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ display_name: 'Ada Lovelace', locale: 'de-CH', email: account.email });
    expect(answer.json.updated_at).toBe(app.clock.now().toISOString());
    expect(answer.json.memberships).toHaveLength(1);
    expect((await account.browser.get('/users/me')).json).toEqual(answer.json);
    const [event, ...more] = await trail(account);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      actor_id: account.user_id,
      actor_type: 'user',
      organization_id: account.organization_id,
      resource_type: 'user',
      metadata: { fields: ['display_name', 'locale'] },
      outcome: 'success',
    });
  });

  it('the session shows the new name at once', async () => {
    const account = await registerUser(app, { display_name: 'Before' });
    expect((await account.browser.get('/auth/session')).json.user.display_name).toBe('Before');
    await account.browser.patch('/users/me', { display_name: 'After' });
    expect((await account.browser.get('/auth/session')).json.user.display_name).toBe('After');
  });

  it('an omitted field is unchanged; null and a blank name clear it', async () => {
    const account = await registerUser(app, { display_name: 'Ada' });
    expect((await account.browser.patch('/users/me', { locale: 'en' })).json).toMatchObject({
      display_name: 'Ada',
      locale: 'en',
    });
    expect((await account.browser.patch('/users/me', { locale: null })).json).toMatchObject({
      display_name: 'Ada',
      locale: null,
    });
    expect((await account.browser.patch('/users/me', { display_name: ' \u00a0 ' })).json.display_name).toBeNull();
    await account.browser.patch('/users/me', { display_name: 'Ada' });
    expect((await account.browser.patch('/users/me', { display_name: null })).json.display_name).toBeNull();
    await account.browser.patch('/users/me', { display_name: 'Ada' });
    expect((await account.browser.patch('/users/me', { display_name: '' })).json.display_name).toBeNull();
    const fields = (await trail(account)).map(({ metadata }) => metadata.fields);
    expect(fields).toEqual([['locale'], ['locale'], ...Array(5).fill(['display_name'])]);
  });

  it.each([
    ['an empty body', {}],
    ['unchanged values', { display_name: ' Ada ', locale: 'de-ch' }],
    ['only unknown fields', { nickname: 'x' }],
  ])('%s: 200, nothing is written or audited', async (_name, body) => {
    const account = await registerUser(app, { display_name: 'Ada' });
    await account.browser.patch('/users/me', { locale: 'de-CH' });
    const before = await row(account);
    const rows = (await trail(account)).length;
    app.clock.advance(1);
    const answer = await account.browser.patch('/users/me', body);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ display_name: 'Ada', locale: 'de-CH' });
    expect(await row(account)).toEqual(before);
    expect(await trail(account)).toHaveLength(rows);
  });

  it('only name and language can be changed, whatever the body contains', async () => {
    const account = await registerUser(app);
    const before = await row(account);
    const answer = await account.browser.patch('/users/me', {
      display_name: 'Mallory',
      id: '00000000-0000-0000-0000-000000000000',
      user_id: '00000000-0000-0000-0000-000000000000',
      email: newEmail('mallory'),
      email_verified: true,
      email_verified_at: '2020-01-01T00:00:00Z',
      platform_role: 'owner',
      status: 'disabled',
      password_hash: 'x',
      has_password: false,
      mfa_enabled: true,
      mfa_enabled_at: '2020-01-01T00:00:00Z',
      avatar_id: 'x',
      avatar_url: 'https://evil.example/x.png',
      created_at: '2020-01-01T00:00:00Z',
      last_login_at: '2020-01-01T00:00:00Z',
      memberships: [{ role: 'owner' }],
      now: '2020-01-01T00:00:00Z',
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ platform_role: null, email: account.email, status: 'active' });
    expect(await row(account)).toEqual({ ...before, display_name: 'Mallory' });
    expect((await trail(account))[0]!.metadata).toEqual({ fields: ['display_name'] });
  });

  describe('input that changes nothing', () => {
    let account: TestUser;
    beforeAll(async () => {
      account = await registerUser(app, { display_name: 'Ada' });
    });
    afterEach(async () => {
      expect(await row(account)).toMatchObject({ display_name: 'Ada', locale: null, platform_role: null });
      expect(await trail(account)).toEqual([]);
    });

    it.each([
      '{"__proto__":{"display_name":"evil","platform_role":"owner"}}',
      '{"constructor":{"prototype":{"display_name":"evil"}}}',
      '{"display_name":"Ada","__proto__":{"locale":"xx"},"toString":1,"hasOwnProperty":1}',
    ])('property names of JavaScript are ignored: %s', async (body) => {
      const answer = await account.browser.patch('/users/me', body);
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ display_name: 'Ada', locale: null, platform_role: null });
      expect(({} as Record<string, unknown>).display_name).toBeUndefined();
    });

    it.each([
      ['display_name', '"a\\u0000b"'],
      ['display_name', '"a\\ud800b"'],
      ['display_name', '"a\\nb"'],
      ['display_name', '"a\\u0085b"'],
      ['display_name', JSON.stringify('x'.repeat(121))],
      ['display_name', '7'],
      ['display_name', '["x"]'],
      ['locale', '"de\\u0000"'],
      ['locale', '"\\ud800"'],
      ['locale', '"de\\n"'],
      ['locale', '""'],
      ['locale', '"d"'],
      ['locale', '"de-12"'],
      ['locale', '"de-abcd-efgh"'],
      ['locale', '"de_CH"'],
      ['locale', `"${`en${'-abcdefgh'.repeat(4)}`}"`],
      ['locale', '{}'],
    ])('400 for %s: %s, naming the field', async (field, value) => {
      const answer = await account.browser.patch('/users/me', `{"${field}":${value}}`);
      expect(answer.status).toBe(400);
      expect(answer.json.error.code).toBe('invalid_input');
      expect(answer.json.error.message).toMatch(new RegExp(`^${field}: `));
    });

    it.each([
      ['nothing at all', undefined],
      ['a list', '[]'],
      ['null', 'null'],
      ['broken JSON', '{"display_name":'],
    ])('400 for a body that is %s', async (_name, body) => {
      const answer = await account.browser.patch('/users/me', body);
      expect(answer.status).toBe(400);
      expect(answer.json.error.message).toMatch(/^body: /);
    });
  });

  it('accepts 120 characters of any script', async () => {
    const account = await registerUser(app);
    const name = '😀'.repeat(120);
    expect((await account.browser.patch('/users/me', { display_name: name })).json.display_name).toBe(name);
    expect((await account.browser.patch('/users/me', { display_name: `${name}x` })).status).toBe(400);
  });

  it('401 without a session; 403 by cookie without CSRF; a Bearer needs none', async () => {
    const account = await registerUser(app);
    expect((await createBrowser(app).patch('/users/me', { display_name: 'x' })).status).toBe(401);
    const forged = await account.browser.patch('/users/me', { display_name: 'x' }, { csrf: false });
    expect(forged.status).toBe(403);
    expect(forged.json.error.code).toBe('csrf_failed');
    const byBearer = await createBrowser(app).patch('/users/me', { display_name: 'y' }, bearer(account.access_token));
    expect(byBearer.json.display_name).toBe('y');
  });

  it('ten concurrent equal changes are written and audited once', async () => {
    const account = await registerUser(app);
    const answers = await atOnce(10, () => account.browser.patch('/users/me', { display_name: 'Ada', locale: 'de' }));
    expect(tally(answers)).toEqual({ 200: 10 });
    expect(answers.every(({ json }) => json.display_name === 'Ada' && json.locale === 'de')).toBe(true);
    expect(await trail(account)).toHaveLength(1);
  });

  it('concurrent changes of different fields are both kept', async () => {
    const account = await registerUser(app);
    await Promise.all([
      account.browser.patch('/users/me', { display_name: 'Ada' }),
      account.browser.patch('/users/me', { locale: 'de' }),
    ]);
    expect(await row(account)).toMatchObject({ display_name: 'Ada', locale: 'de' });
  });

  it('401 for an account that was just disabled, and nothing is written', async () => {
    const account = await registerUser(app);
    await account.browser.get('/auth/session');
    await setUser(app, account.user_id, { status: 'disabled' });
    expect((await account.browser.patch('/users/me', { display_name: 'x' })).status).toBe(401);
    expect((await row(account)).display_name).toBeNull();
  });
});
