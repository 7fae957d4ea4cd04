import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { beginSigningIn, withPasskey } from '../../../test/authenticator.ts';
import {
  atOnce,
  type Browser,
  createBrowser,
  newEmail,
  PASSWORD,
  registerUser,
  type TestUser,
  tally,
} from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, oneTimeTokensOf, recorded, setSession, setUser } from '../../../test/records.ts';

const LIMIT = 7;
const ENVIRONMENT = { TRUST_PROXY: '127.0.0.1', FAILURES_PER_ADDRESS: String(LIMIT) };

const app = useTestApp({ environment: ENVIRONMENT });

let addresses = 0;
const newAddress = () => `203.0.${addresses >> 8}.${++addresses & 255}`;

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const login = (address: string, body: object = {}, browser: Browser = createBrowser(app)) =>
  browser.post('/auth/login', { email: newEmail(), password: 'not the password', ...body }, from(address));
const token = () => randomBytes(32).toString('base64url');

const madeUpPasskey = async () => {
  const { device } = await withPasskey(app);
  return device.get(await beginSigningIn(app), { challenge: randomBytes(49).toString('base64url') });
};

const FAILURES: Record<string, (address: string) => ReturnType<Browser['get']>> = {
  login: (address) => login(address),
  'email-otp/verify': (address) =>
    createBrowser(app).post('/auth/email-otp/verify', { email: newEmail(), code: '000000' }, from(address)),
  'passkey/login/complete': async (address) =>
    createBrowser(app).post('/auth/passkey/login/complete', { credential: await madeUpPasskey() }, from(address)),
  'password/reset': (address) =>
    createBrowser(app).post('/auth/password/reset', { token: token(), new_password: PASSWORD }, from(address)),
  'email/verify': (address) => createBrowser(app).post('/auth/email/verify', { token: token() }, from(address)),
  'invitations/accept': (address) =>
    createBrowser(app).post('/auth/invitations/accept', { token: token(), password: PASSWORD }, from(address)),
  'invitations/preview': (address) =>
    createBrowser(app).get(`/auth/invitations/preview?token=${token()}`, from(address)),
};

const exhaust = async (address: string, times = LIMIT) => {
  for (let index = 0; index < times; index++) await login(address);
};
const abuseOf = (resource_id: string) => auditOf(app, { action: 'abuse.limited', resource_id });
const hashes = async () => Number(/^gatehouse_password_hashes_total (\d+)/m.exec(await app.deps.metrics.text())![1]);

/** Returns a browser that has only the trust cookie of the user. */
const trusting = async (user: TestUser) => {
  await setUser(app, user.user_id, { mfa_enabled_at: app.clock.now() });
  await setSession(app, user.session_id, { aal: 'aal2', mfa_verified_at: app.clock.now() });
  await app.deps.bus.deliver([{ topic: 'session', key: user.session_id }]);
  const answer = await user.browser.post('/auth/trusted-browsers', {});
  if (answer.status !== 201) throw new Error(answer.text);
  return () => createBrowser(app, new Map([['service_trust', user.browser.jar.get('service_trust')!]]));
};

describe('failed attempts of one client address', () => {
  it('failed attempts are counted in one counter over seven endpoints; over the limit 429, or 401 at two endpoints', async () => {
    const address = newAddress();
    const first = await Promise.all(Object.values(FAILURES).map((fail) => fail(address)));
    expect(tally(first)).toEqual({ 401: 5, 404: 2 });
    const expected = { 'email-otp/verify': 401, 'passkey/login/complete': 401 } as Record<string, number>;
    for (const [name, fail] of Object.entries(FAILURES)) {
      const { status, headers, json } = await fail(address);
      expect(`${name} ${status}`).toBe(`${name} ${expected[name] ?? 429}`);
      if (status === 429) expect(json.error.code).toBe('rate_limited');
      if (status === 429) expect(headers['retry-after']).toBe('600');
    }
    expect((await login(newAddress())).status).toBe(401);
    app.clock.advance(600);
    expect((await login(address)).status).toBe(401);
  });

  it.each(Object.keys(FAILURES))('failed attempts at %s alone fill the counter', async (name) => {
    const address = newAddress();
    for (let index = 0; index < LIMIT; index++) expect((await FAILURES[name]!(address)).status).not.toBe(429);
    expect((await login(address)).status).toBe(429);
  });

  it('attempts over the limit are rejected before anything is hashed, for right passwords and unknown accounts alike', async () => {
    const [address, { email, password }] = [newAddress(), await registerUser(app)];
    await exhaust(address);
    const before = await hashes();
    const known = await login(address, { email, password });
    const unknown = await login(address, { email: newEmail(), password });
    expect(known.status).toBe(429);
    const comparable = ({ headers: { date: _date, 'x-request-id': _id, ...headers }, text }: typeof known) => ({
      headers,
      text,
    });
    expect(comparable(known)).toEqual(comparable(unknown));
    expect(await hashes()).toBe(before);
  });

  it('failed attempts write one audit row when the limit is reached, and none after it', async () => {
    const address = newAddress();
    await exhaust(address);
    const rows = await auditOf(app);
    const [row] = await abuseOf(address);
    expect(row).toMatchObject({
      resource_type: 'network',
      ip_address: address,
      actor_id: null,
      actor_type: 'anonymous',
      outcome: 'failure',
      metadata: { failures: LIMIT, window_seconds: 600 },
    });
    for (const fail of Object.values(FAILURES)) await fail(address);
    const later = (await auditOf(app)).slice(rows.length).filter(({ ip_address }) => ip_address === address);
    expect(later).toEqual([]);
    app.clock.advance(600);
    await exhaust(address);
    expect(await abuseOf(address)).toHaveLength(2);
  });

  it('failed attempts write one audit row when many concurrent attempts reach the limit', async () => {
    const address = newAddress();
    await atOnce(40, () => login(address));
    expect(await abuseOf(address)).toHaveLength(1);
    expect((await login(address)).status).toBe(429);
  });

  it('only rejected credentials count as failed attempts: valid ones and malformed bodies do not', async () => {
    const [address, { email, password }] = [newAddress(), await registerUser(app)];
    for (let index = 0; index < LIMIT + 1; index++) {
      expect((await login(address, { email, password })).status).toBe(200);
      expect((await login(address, { email: 7 })).status).toBe(400);
    }
    expect((await login(address)).status).toBe(401);
  });
});

describe('beyond the limit', () => {
  it('email-otp/verify rejects the right code and counts the attempt', async () => {
    const [address, { email, user_id }] = [newAddress(), await registerUser(app)];
    await createBrowser(app).post('/auth/email-otp/request', { email });
    const code = await app.mailbox.takeCode(email);
    await exhaust(address);
    const verify = (client: string) => createBrowser(app).post('/auth/email-otp/verify', { email, code }, from(client));
    for (const attempts of [1, 2]) {
      expect((await verify(address)).status).toBe(401);
      expect((await oneTimeTokensOf(app, user_id, 'login_code'))[0]!.attempts).toBe(attempts);
    }
    expect((await verify(newAddress())).status).toBe(200);
  });

  it('passkey/login/complete rejects the right passkey and consumes its challenge', async () => {
    const [address, { device, email }] = [newAddress(), await withPasskey(app)];
    const credential = device.get(await beginSigningIn(app, email));
    await exhaust(address);
    const complete = (client: string) =>
      createBrowser(app).post('/auth/passkey/login/complete', { credential }, from(client));
    expect((await complete(address)).status).toBe(401);
    expect((await complete(newAddress())).status).toBe(401);
    const again = device.get(await beginSigningIn(app, email));
    expect(
      (await createBrowser(app).post('/auth/passkey/login/complete', { credential: again }, from(newAddress()))).status,
    ).toBe(200);
  });
});

/** Requests that the validation rejects, and the status beyond the limit. */
const INVALID: readonly [path: string, body: unknown, status: number][] = [
  ['/auth/login', { email: 7, password: PASSWORD }, 429],
  ['/auth/login', '{', 429],
  ['/auth/email-otp/verify', { email: 'ada@example.com', code: '1' }, 401],
  ['/auth/passkey/login/complete', { credential: {}, organization_id: 'x' }, 401],
  ['/auth/password/reset', { token: 'x', new_password: 'short' }, 429],
  ['/auth/password/reset/preview', {}, 429],
  ['/auth/email/verify', {}, 429],
  ['/auth/invitations/accept', {}, 429],
  ['/auth/invitations/preview', undefined, 429],
];

describe('an invalid request', () => {
  const send = (address: string, path: string, body: unknown, browser = createBrowser(app)) =>
    body === undefined ? browser.get(path, from(address)) : browser.post(path, body, from(address));

  it.each(INVALID)('to %s with %j is 400, and beyond the limit %i', async (path, body, status) => {
    const address = newAddress();
    expect((await send(address, path, body)).status).toBe(400);
    await exhaust(address);
    const answer = await send(address, path, body);
    expect([answer.status, answer.headers['retry-after']]).toEqual([status, status === 429 ? '600' : undefined]);
    expect((await send(newAddress(), path, body)).status).toBe(400);
  });

  it('beyond the limit is 400 from a trusted browser', async () => {
    const [address, user] = [newAddress(), await registerUser(app)];
    const browser = await trusting(user);
    await exhaust(address);
    for (const [path, body] of INVALID) expect((await send(address, path, body, browser())).status, path).toBe(400);
    const unknown = createBrowser(app, new Map([['service_trust', token()]]));
    expect((await send(address, '/auth/login', {}, unknown)).status).toBe(429);
  });
});

describe('a browser that the named account trusts', () => {
  it('a trusted browser signs in beyond the limit by password, code and passkey, but not to another account', async () => {
    const [address, user] = [newAddress(), await withPasskey(app)];
    const { email, password, device } = user;
    const browser = await trusting(user);
    await exhaust(address);
    expect((await login(address, { email, password }, browser())).status).toBe(200);
    const other = await registerUser(app);
    expect((await login(address, other, browser())).status).toBe(429);

    await createBrowser(app).post('/auth/email-otp/request', { email });
    const code = await app.mailbox.takeCode(email);
    expect((await browser().post('/auth/email-otp/verify', { email, code }, from(address))).status).toBe(200);
    const credential = device.get(await beginSigningIn(app, email));
    expect((await browser().post('/auth/passkey/login/complete', { credential }, from(address))).status).toBe(200);
  });

  it('a trusted browser can use mailed links of its account beyond the limit', async () => {
    const [address, user, other] = [newAddress(), await registerUser(app), await registerUser(app)];
    const browser = await trusting(user);
    await exhaust(address);
    const verify = async ({ email }: TestUser) =>
      (
        await browser().post(
          '/auth/email/verify',
          { token: await app.mailbox.takeToken(email, 'verify-email') },
          from(address),
        )
      ).status;
    expect(await verify(user)).toBe(204);
    expect(await verify(other)).toBe(429);
    await createBrowser(app).post('/auth/password/forgot', { email: user.email });
    const link = await app.mailbox.takeToken(user.email, 'reset-password');
    const reset = (given: string) =>
      browser().post('/auth/password/reset', { token: given, new_password: 'another long password' }, from(address));
    expect((await reset(token())).status).toBe(429);
    expect((await reset(link)).status).toBe(204);
  });
});

describe('the client addresses that are counted', () => {
  it('IPv6 addresses are counted per /64, and per /48 with sixteen times the budget', async () => {
    const network = '2001:db8:77';
    await exhaust(`${network}:1::1`, LIMIT - 1);
    await login(`${network}:1:ffff::2`);
    expect((await login(`${network}:1::3`)).status).toBe(429);
    expect((await login(`${network}:2::1`)).status).toBe(401);
    expect(await abuseOf('2001:db8:77:1::/64')).toHaveLength(1);
    // Network 2 has used one attempt. Fourteen more networks and its own next LIMIT - 2 leave one attempt for the /48.
    for (let index = 3; index < 17; index++) await exhaust(`${network}:${index.toString(16)}::1`);
    await exhaust(`${network}:2::1`, LIMIT - 2);
    expect((await login(`${network}:99::1`)).status).toBe(401);
    expect((await login(`${network}:99::1`)).status).toBe(429);
    expect(await abuseOf('2001:db8:77::/48')).toHaveLength(1);
    expect((await login('2001:db8:78:1::1')).status).toBe(401);
  });

  it.each(['127.0.0.1', '10.1.2.3', 'fd00::1', '::ffff:10.1.2.3'])(
    'failed attempts from %s are not counted in development',
    async (address) => {
      await exhaust(address, LIMIT + 1);
      expect((await login(address)).status).toBe(401);
    },
  );

  it('failed attempts from loopback and private addresses are counted in production if TRUST_PROXY is set', async () => {
    const environment = {
      NODE_ENV: 'production',
      PUBLIC_BASE_URL: 'https://id.example.com',
      FAILURES_PER_ADDRESS: '2',
    };
    const production = await startTestApp({ environment: { ...environment, TRUST_PROXY: 'none' } });
    const attempt = () =>
      createBrowser(production).post('/auth/login', { email: newEmail(), password: PASSWORD }, from(newAddress()));
    const statuses = [];
    for (let index = 0; index < 3; index++) statuses.push((await attempt()).status);
    expect(statuses).toEqual([401, 401, 429]);
    await production.close();
  });

  it('no failed attempts are counted with FAILURES_PER_ADDRESS=0', async () => {
    const unlimited = await startTestApp({ environment: { ...ENVIRONMENT, FAILURES_PER_ADDRESS: '0' } });
    const address = newAddress();
    for (let index = 0; index < 20; index++) {
      const body = { email: newEmail(), password: PASSWORD };
      expect((await createBrowser(unlimited).post('/auth/login', body, from(address))).status).toBe(401);
    }
    await unlimited.close();
  });

  it('counting costs no additional SQL statement, neither for a sign-in nor for a failure', async () => {
    const { email, password } = await registerUser(app);
    const statements = async (address: string, body: object) =>
      (await recorded(app, () => login(address, body))).statements.length;
    expect(await statements(newAddress(), { email, password })).toBe(
      await statements('127.0.0.1', { email, password }),
    );
    expect(await statements(newAddress(), {})).toBe(await statements('127.0.0.1', {}));
  });
});
