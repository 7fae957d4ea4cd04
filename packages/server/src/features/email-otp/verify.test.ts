import { NIL_UUID } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, createBrowser, newEmail, registerUser, tally } from '../../../test/browser.ts';
import { createTestDatabase } from '../../../test/database.ts';
import { SECRET } from '../../../test/harness.ts';
import {
  countingRows,
  countSessions,
  join,
  setUser,
  suspendOrganization,
  trustBrowser,
} from '../../../test/records.ts';
import { another, type Codes, startCodes } from './code-fixture.ts';

let codes: Codes;
beforeAll(async () => {
  codes = await startCodes();
});
afterAll(() => codes.app.close());

describe('§4.5 POST /auth/email-otp/verify', () => {
  it('200: LoginResponse, three cookies, a session at aal1 with auth_method email_otp', async () => {
    const registered = await codes.withCode();
    const browser = createBrowser(codes.app);
    const answer = await browser.post('/auth/email-otp/verify', {
      email: ` ${registered.email.toUpperCase()}`,
      code: registered.code,
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'success',
      user: {
        user_id: registered.user_id,
        email: registered.email,
        auth_method: 'email_otp',
        aal: 'aal1',
        email_verified: false,
      },
      capabilities: { role: 'owner' },
    });
    expect([...browser.jar.keys()].sort()).toEqual(['service_at', 'service_csrf', 'service_rt']);
    expect((await browser.get('/auth/session')).json.user.auth_method).toBe('email_otp');
    expect(await codes.signInsOf(registered.user_id)).toMatchObject([
      {
        action: 'auth.email_otp.succeeded',
        outcome: 'success',
        metadata: { method: 'email_otp' },
        organization_id: registered.organization_id,
        resource_id: registered.user_id,
      },
    ]);
  });

  it.each([
    [{}, 'email: is required; code: is required'],
    [{ code: '123456' }, 'email: is required'],
    [{ email: 'ada@example.com' }, 'code: is required'],
    [{ email: 'ada', code: '123456' }, 'email: must be an email address'],
    [{ email: 'ada@example.com', code: '12345' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: '1234567' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: '12345a' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: '١٢٣٤٥٦' }, 'code: must be 6 digits'],
    [{ email: 'ada@example.com', code: 123456 }, 'code: must be a string'],
    [{ email: 'ada@example.com', code: null }, 'code: must be a string'],
    ['{"email":"ada\\u0000@example.com","code":"123456"}', 'email: must be an email address'],
    ['{"email":"ada\\ud800@example.com","code":"123456"}', 'email: must be an email address'],
    ['{"email":"ada@example.com","code":"12345\\u0000"}', 'code: must be 6 digits'],
    ['{"email":"ada@example.com","code":"123456\\n"}', 'code: must be 6 digits'],
    ['{"__proto__":{"email":"ada@example.com","code":"123456"}}', 'email: is required; code: is required'],
    [[], 'body: must be a JSON object'],
    ['{', 'body: must be valid JSON'],
  ])('400 for the body %j', async (body, message) => {
    const answer = await codes.verify(body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'invalid_input', message });
  });

  it('a malformed code does not count as an attempt', async () => {
    const registered = await codes.withCode();
    await codes.verify({ email: registered.email, code: 'x' });
    expect(await codes.attemptsOf(registered.user_id)).toBe(0);
  });

  it('wrong, expired, exhausted and never requested codes, and codes of unknown, disabled and deleted accounts, get the same 401 and write as many rows', async () => {
    const [wrong, disabled, deleted, exhausted, never] = await Promise.all([
      ...[1, 2, 3, 4].map(codes.withCode),
      registerUser(codes.app).then((registered) => ({ ...registered, code: '123456' })),
    ]);
    await setUser(codes.app, disabled!.user_id, { status: 'disabled' });
    await setUser(codes.app, deleted!.user_id, { status: 'deleted' });
    for (let index = 0; index < 5; index++)
      await codes.verify({ email: exhausted!.email, code: another(exhausted!.code) });
    const unknown = newEmail('unknown');
    await codes.ask(unknown);
    const cases = [
      { email: wrong!.email, code: another(wrong!.code) },
      { email: unknown, code: '123456' },
      { email: newEmail('unasked'), code: '123456' },
      { email: disabled!.email, code: disabled!.code },
      { email: deleted!.email, code: deleted!.code },
      { email: exhausted!.email, code: exhausted!.code },
      { email: never!.email, code: never!.code },
    ];
    const seen: { status: number; text: string; headers: object; rows: object }[] = [];
    const note = async (body: object) => {
      const { result, rows } = await countingRows(codes.app, ['audit_events', 'sessions'], () => codes.verify(body));
      const { status, text, headers } = result;
      seen.push({ status, text, headers: { ...headers, date: '' }, rows });
    };
    for (const body of cases) await note(body);
    const late = await codes.withCode();
    codes.app.clock.advance(600);
    await note({ email: late.email, code: late.code });
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]).toMatchObject({ status: 401, rows: { audit_events: 1, sessions: 0 } });
    expect(JSON.parse(seen[0]!.text).error).toEqual({
      code: 'authentication_required',
      message: 'the credentials are not valid',
      type: 'authentication_error',
    });
  });

  it('a failure is audited without the given code', async () => {
    const registered = await codes.withCode();
    const code = another(registered.code);
    await codes.verify({ email: registered.email, code });
    const [row] = await codes.signInsOf(registered.user_id);
    expect(row).toMatchObject({
      action: 'auth.email_otp.failed',
      outcome: 'failure',
      actor_type: 'anonymous',
      actor_id: null,
      metadata: { method: 'email_otp', reason: 'credentials' },
      organization_id: registered.organization_id,
    });
    await codes.verify({ email: 'my-secret-typed-as@example.com', code: '918273' });
    const all = await codes.app.deps.db.selectFrom('audit_events').selectAll().orderBy('id', 'desc').limit(1).execute();
    expect(all).toMatchObject([
      { action: 'auth.email_otp.failed', actor_id: null, organization_id: NIL_UUID, resource_id: NIL_UUID },
    ]);
    expect(JSON.stringify([all, codes.app.logs])).not.toContain('my-secret');
    expect(JSON.stringify([row!.metadata, all.map(({ metadata }) => metadata)])).not.toMatch(/918273|\d{6}/);
  });

  it('a code is valid until a second before its expiry, and works once', async () => {
    const registered = await codes.withCode();
    codes.app.clock.advance(599);
    expect((await codes.verify({ email: registered.email, code: registered.code })).status).toBe(200);
    expect((await codes.verify({ email: registered.email, code: registered.code })).status).toBe(401);
  });

  it('a code is valid only for its account and only while the account has the email that the code was sent to', async () => {
    const [registered, other] = [await codes.withCode(), await codes.withCode()];
    if (registered.code !== other.code)
      expect((await codes.verify({ email: other.email, code: registered.code })).status).toBe(401);
    const moved = newEmail('moved');
    await setUser(codes.app, registered.user_id, { email: moved });
    expect((await codes.verify({ email: moved, code: registered.code })).status).toBe(401);
    expect((await codes.verify({ email: registered.email, code: registered.code })).status).toBe(401);
  });

  it('a code gets 401 while its account is disabled, and is accepted after the account is enabled again', async () => {
    const registered = await codes.withCode();
    await setUser(codes.app, registered.user_id, { status: 'disabled' });
    expect((await codes.verify({ email: registered.email, code: registered.code })).status).toBe(401);
    await setUser(codes.app, registered.user_id, { status: 'active' });
    expect((await codes.verify({ email: registered.email, code: registered.code })).status).toBe(200);
  });

  it('verifying a code needs no CSRF header and ignores credentials', async () => {
    const registered = await codes.withCode();
    const answer = await codes.verify(
      { email: registered.email, code: registered.code },
      { authorization: 'Bearer nonsense' },
    );
    expect(answer.status).toBe(200);
  });

  it('a code hashed under the previous secret is valid', async () => {
    const database = await createTestDatabase();
    const old = await startCodes({ database });
    const { email, code } = await old.withCode();
    await old.app.close();
    const environment = { JWT_SECRET: `${SECRET}, changed`, JWT_SECRET_PREVIOUS: SECRET };
    const changed = await startCodes({ database, environment });
    const answer = await changed.verify({ email, code });
    expect(answer.status).toBe(200);
    await changed.app.close();
    await database.close();
  });
});

describe('with a second factor', () => {
  it('with a second factor: 200 mfa_required, no cookie, no session, and the code is consumed', async () => {
    const registered = await codes.withCode();
    await setUser(codes.app, registered.user_id, { mfa_enabled_at: codes.app.clock.now() });
    const answer = await codes.verify({ email: registered.email, code: registered.code });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ status: 'mfa_required', mfa_token: expect.any(String), mfa_token_expires_in: 300 });
    expect(answer.set_cookies).toEqual([]);
    expect(await countSessions(codes.app, registered.user_id)).toBe(1);
    expect(await codes.signInsOf(registered.user_id)).toMatchObject([
      { action: 'auth.email_otp.succeeded', metadata: { method: 'email_otp', mfa_pending: true } },
    ]);
    expect((await codes.verify({ email: registered.email, code: registered.code })).status).toBe(401);
  });

  it('ten concurrent requests get one mfa_token', async () => {
    const registered = await codes.withCode();
    await setUser(codes.app, registered.user_id, { mfa_enabled_at: codes.app.clock.now() });
    const answers = await atOnce(10, () => codes.verify({ email: registered.email, code: registered.code }));
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
  });

  it('a sign-in from a trusted browser needs no second factor, and its session is aal1', async () => {
    const registered = await codes.withCode();
    await setUser(codes.app, registered.user_id, { mfa_enabled_at: codes.app.clock.now() });
    const cookie = await trustBrowser(codes.app, registered.user_id);
    const answer = await codes.verify({ email: registered.email, code: registered.code }, { cookie });
    expect(answer.json).toMatchObject({ status: 'success', user: { aal: 'aal1', mfa_verified_at: null } });
    expect((await codes.signInsOf(registered.user_id))[0]!.metadata).toEqual({
      method: 'email_otp',
      trusted_browser: true,
    });
  });
});

describe('a suspended organization', () => {
  it('403 only after the right code, which is consumed', async () => {
    const registered = await codes.withCode();
    await suspendOrganization(codes.app, registered.organization_id);
    expect((await codes.verify({ email: registered.email, code: another(registered.code) })).status).toBe(401);
    const refused = await codes.verify({ email: registered.email, code: registered.code });
    expect(refused.status).toBe(403);
    expect(refused.json.error.code).toBe('forbidden');
    expect(refused.set_cookies).toEqual([]);
    expect((await codes.signInsOf(registered.user_id)).at(-1)).toMatchObject({
      action: 'auth.email_otp.failed',
      outcome: 'failure',
      metadata: { reason: 'organization' },
    });
    expect((await codes.verify({ email: registered.email, code: registered.code })).status).toBe(401);
  });
});

describe('organization_id', () => {
  it('selects the organization; 403 after the right code if the user is not a member', async () => {
    const registered = await codes.withCode();
    const organization_id = await join(codes.app, registered.user_id);
    const { json } = await codes.verify({ email: registered.email, code: registered.code, organization_id });
    expect(json.user.organization_id).toBe(organization_id);
    const { organization_id: foreign } = await registerUser(codes.app);
    const code = await codes.newCode(registered.email);
    const attempt = { email: registered.email, organization_id: foreign };
    expect((await codes.verify({ ...attempt, code: another(code) })).status).toBe(401);
    const refused = await codes.verify({ ...attempt, code });
    expect([refused.status, refused.json.error.code, refused.set_cookies]).toEqual([403, 'forbidden', []]);
    expect((await codes.verify({ ...attempt, code, organization_id: 'x' })).status).toBe(400);
  });
});
