import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, registerUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import { enrol } from '../../server/test/second-factor.ts';
import { type ClientOptions, createClient, createCookieJar, type GatehouseError } from './index.ts';

const app = useTestApp();
let base: string;
beforeAll(async () => {
  base = `${await app.server.listen({ host: '127.0.0.1', port: 0 })}/v1`;
});

/** A client of a program, and the requests it has sent. */
function openProgram(options: Partial<ClientOptions> = {}) {
  const asked: { path: string; headers: Headers }[] = [];
  const inits: RequestInit[] = [];
  const client = createClient({
    base,
    fetch: (address, init) => {
      inits.push(init ?? {});
      asked.push({ path: String(address).slice(base.length), headers: new Headers(init?.headers) });
      return fetch(address, init);
    },
    ...options,
  });
  return { client, asked, inits, pathsAsked: () => asked.map(({ path }) => path) };
}

const SIGNED_OUT = { code: 'authentication_required', signed_out: true };

describe('a program that signs in by itself', () => {
  it('a program that signs in sends a Bearer token and no CSRF value', async () => {
    const { email, user_id } = await registerUser(app);
    const { client, asked, inits } = openProgram();
    expect(await client.signIn.withPassword({ email, password: PASSWORD })).toMatchObject({ status: 'success' });
    expect((await client.session.current()).user.user_id).toBe(user_id);
    expect((await client.account.update({ display_name: 'Ada' })).display_name).toBe('Ada');
    expect(inits.every(({ redirect }) => redirect === 'error')).toBe(true);
    for (const { headers } of asked.slice(1)) {
      expect(headers.get('authorization')).toBe(`Bearer ${await client.accessToken()}`);
      expect(headers.has('x-service-csrf')).toBe(false);
    }
  });

  it('a program completes a pending sign-in, which it recognizes by the status mfa_required', async () => {
    const registered = await registerUser(app);
    const { client } = openProgram();
    const { recovery_codes } = await enrol(app, registered);
    const answer = await client.signIn.withPassword({ email: registered.email, password: PASSWORD });
    if (answer.status !== 'mfa_required') throw new Error(answer.status);
    const [recovery_code] = recovery_codes;
    const done = await client.signIn.challenge({ mfa_token: answer.mfa_token, recovery_code: recovery_code! });
    expect(done.user.aal).toBe('aal2');
    expect((await client.session.current()).user.aal).toBe('aal2');
  });

  it('a program that is registered as a trusted browser skips the second factor at its next sign-in', async () => {
    const registered = await registerUser(app);
    const { client } = openProgram();
    const { recovery_codes } = await enrol(app, registered);
    const sign = () => client.signIn.withPassword({ email: registered.email, password: PASSWORD });
    const answer = await sign();
    if (answer.status !== 'mfa_required') throw new Error(answer.status);
    await client.signIn.challenge({ mfa_token: answer.mfa_token, recovery_code: recovery_codes[0]! });
    await client.trustedBrowsers.add('A script');
    await client.session.signOut();
    expect((await sign()).status).toBe('success');
  });

  it.each([undefined, '', '/v1', '127.0.0.1:8080/v1', 'ftp://id.example.com/v1'])(
    'a program cannot create a client with the base URL %s',
    (wrong) => {
      expect(() => createClient({ base: wrong as string })).toThrow(/^base: must be the address of the API/);
    },
  );

  it('a program refreshes once for parallel calls when the access token has expired', async () => {
    const { email, user_id } = await registerUser(app);
    const { client, pathsAsked } = openProgram();
    await client.signIn.withPassword({ email, password: PASSWORD });
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    const answers = await Promise.all([client.session.current(), client.session.current(), client.session.list()]);
    expect(answers[0].user.user_id).toBe(user_id);
    await client.account.update({ display_name: 'Ada' });
    expect(pathsAsked().filter((path) => path === '/auth/refresh')).toHaveLength(1);
  });

  it('a program continues its session in another process from the saved jar, which is saved after every change', async () => {
    const { email, user_id } = await registerUser(app);
    let saved = '';
    const onChange = (text: string) => {
      saved = text;
    };
    const { client } = openProgram({ jar: createCookieJar({ onChange }) });
    await client.signIn.withPassword({ email, password: PASSWORD });
    for (let restart = 0; restart < 3; restart++) {
      app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
      const { client: next } = openProgram({ jar: createCookieJar({ saved, onChange }) });
      expect((await next.session.current()).user.user_id).toBe(user_id);
    }
    const { client: last } = openProgram({ jar: createCookieJar({ saved, onChange }) });
    await last.session.signOut();
    expect(saved).not.toContain('service_rt');
    const { client: after, asked } = openProgram({ jar: createCookieJar({ saved }) });
    await expect(after.session.current()).rejects.toMatchObject(SIGNED_OUT);
    expect(asked).toEqual([]);
  });

  it.each([
    '',
    'no json',
    '{}',
    '{"cookies":[["service_rt",{"token":"x","ends":9e15}]]}',
    '{"cookies":[["service_rt",{"token":1}],["other",{"token":"x","ends":9e15}]]}',
  ])('a program has no session if its saved jar cannot be parsed: %s', async (saved) => {
    const { client } = openProgram({ jar: createCookieJar({ saved }) });
    await expect(client.session.current()).rejects.toMatchObject(SIGNED_OUT);
  });

  it('a program cannot use a jar that belongs to another service', () => {
    const jar = createCookieJar();
    createClient({ base, jar });
    expect(() => createClient({ base: 'http://evil.example/v1', jar })).toThrow(`holds a session of ${base}`);
    const again = createCookieJar({ saved: jar.save() });
    expect(() => createClient({ base: 'http://evil.example/v1', jar: again })).toThrow('cannot be used');
  });

  it('two clients of a program with one jar share a refresh, and never save a jar without a session', async () => {
    const { email } = await registerUser(app);
    const saved: string[] = [];
    const jar = createCookieJar({ onChange: async (text) => void saved.push(text) });
    const [one, other] = [openProgram({ jar }), openProgram({ jar })];
    await one.client.signIn.withPassword({ email, password: PASSWORD });
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    await Promise.all([one.client.session.current(), other.client.session.current()]);
    expect([...one.pathsAsked(), ...other.pathsAsked()].filter((path) => path === '/auth/refresh')).toHaveLength(1);
    expect(saved.filter((text) => !text.includes('service_rt'))).toEqual([]);
  });

  it('the changes of a jar are saved in order, and a change that could not be saved is saved with the next one', async () => {
    const stored: string[] = [];
    const waiting: (() => void)[] = [];
    let failing = false;
    const jar = createCookieJar({
      onChange: async (text) => {
        if (failing) throw new Error('the disk is full');
        if (stored.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
        stored.push(text);
      },
    });
    jar.claim(base);
    const changes = [jar.take(['service_rt=one; Max-Age=900']), jar.take(['service_rt=two; Max-Age=900'])];
    await expect.poll(() => waiting.length).toBe(1);
    waiting[0]!();
    await Promise.all(changes);
    expect(stored.at(-1)).toBe(jar.save());
    failing = true;
    await expect(jar.take(['service_rt=three; Max-Age=900'])).rejects.toThrow('the disk is full');
    failing = false;
    await jar.take([]);
    expect(stored.at(-1)).toBe(jar.save());
  });

  it('the call that changed a jar fails if the jar cannot be saved', async () => {
    const { email } = await registerUser(app);
    const jar = createCookieJar({ onChange: () => Promise.reject(new Error('the disk is full')) });
    const { client } = openProgram({ jar });
    await expect(client.signIn.withPassword({ email, password: PASSWORD })).rejects.toThrow('the disk is full');
  });

  it.each([{ access_token: 'a\nb' }, { access_token: '' }])(
    'a client with a bad access_token cannot be created, and the error does not quote the token: %j',
    (options) => {
      expect(() => openProgram(options)).toThrow(
        new TypeError('access_token: must be the token alone, without "Bearer"'),
      );
    },
  );

  it('a program can distinguish a session that was revoked elsewhere from a wrong password', async () => {
    const { email, user_id } = await registerUser(app);
    const { client } = openProgram();
    await client.signIn.withPassword({ email, password: PASSWORD });
    const wrong = { current_password: 'not the password', new_password: 'another password altogether' };
    await expect(client.account.changePassword(wrong)).rejects.toMatchObject({ signed_out: false });
    const { client: other } = openProgram();
    await other.signIn.withPassword({ email, password: PASSWORD });
    await other.session.endOthers();
    await expect(client.account.changePassword(wrong)).rejects.toMatchObject(SIGNED_OUT);
    await expect(client.accessToken()).rejects.toMatchObject(SIGNED_OUT);
    expect((await other.session.current()).user.user_id).toBe(user_id);
  });

  it('a program sends no refresh after sign-out', async () => {
    const { email } = await registerUser(app);
    const { client, pathsAsked } = openProgram();
    await client.signIn.withPassword({ email, password: PASSWORD });
    await client.session.signOut();
    await expect(client.session.current()).rejects.toMatchObject(SIGNED_OUT);
    expect(pathsAsked()).not.toContain('/auth/refresh');
  });

  it('uploads a file as form data, which the service rejects if it is not a picture', async () => {
    const { email } = await registerUser(app);
    const { client } = openProgram();
    await client.signIn.withPassword({ email, password: PASSWORD });
    const failure = client.account.uploadAvatar(new Blob(['no picture']));
    await expect(failure).rejects.toMatchObject({ code: 'invalid_input', fields: ['avatar'] });
  });
});

describe('a program that acts on behalf of its caller', () => {
  it("sends the caller's access token and cannot renew it", async () => {
    const { access_token, user_id } = await registerUser(app);
    const { client, pathsAsked } = openProgram({ access_token });
    expect((await client.session.current()).user.user_id).toBe(user_id);
    expect(await client.accessToken()).toBe(access_token);
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    await expect(client.session.current()).rejects.toMatchObject(SIGNED_OUT);
    expect(pathsAsked()).toEqual(['/auth/session', '/auth/session']);
  });
});

describe('abort signals', () => {
  it('an abort signal is passed to fetch by every kind of call', async () => {
    const { client, inits } = openProgram({});
    const { signal } = new AbortController();
    await client.with({ signal }).signIn.options();
    expect(inits[0]?.signal).toBe(signal);
    await client.with({ signal }).operations.readiness();
    expect(inits[1]?.signal).toBe(signal);
  });

  it('an abort signal aborts a call that waits for a refresh, but not the refresh, which other calls share', async () => {
    const { email } = await registerUser(app);
    const slow: { end?: () => void } = {};
    const { client } = openProgram({
      fetch: async (address, init) => {
        if (String(address).endsWith('/auth/refresh')) await new Promise<void>((resolve) => (slow.end = resolve));
        return fetch(address, init);
      },
    });
    await client.signIn.withPassword({ email, password: PASSWORD });
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 1);
    const controller = new AbortController();
    const [mine, others] = [client.with(controller).session.current(), client.session.current()];
    const outcome = mine.catch((error: GatehouseError) => error.name);
    await expect.poll(() => slow.end).toBeDefined();
    controller.abort();
    expect(await outcome).toBe('AbortError');
    slow.end?.();
    expect((await others).user.email).toBe(email);
  });
});
