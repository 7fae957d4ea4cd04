import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PASSWORD, registerUser } from '../../server/test/browser.ts';
import { useTestApp } from '../../server/test/harness.ts';
import { setUser } from '../../server/test/records.ts';
import { openBrowser } from './browser-fixture.ts';

const app = useTestApp();
let base: string;
beforeAll(async () => {
  base = `${await app.server.listen({ host: '127.0.0.1', port: 0 })}/v1`;
});
afterEach(() => vi.unstubAllGlobals());

async function arrive() {
  const registered = await registerUser(app);
  return { ...registered, browser: openBrowser(base, { jar: registered.browser.jar }) };
}

describe('writes', () => {
  it('a write with a wrong password is sent once and does not sign the user out', async () => {
    const { browser } = await arrive();
    const change = { current_password: 'not the password', new_password: 'another password altogether' };
    const refused = browser.openTab().account.changePassword(change);
    await expect(refused).rejects.toMatchObject({ code: 'authentication_required', signed_out: false });
    expect(browser.askedFor('/users/me/password')).toHaveLength(1);
    expect(browser.askedFor('/auth/refresh')).toEqual([]);
    await browser.openTab().account.changePassword({ ...change, current_password: PASSWORD });
  });

  it('a write sends the current CSRF value; a read sends none', async () => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    await tab.account.read();
    await tab.account.update({ display_name: 'Ada' });
    expect(browser.asked.map(({ csrf }) => csrf)).toEqual([null, browser.jar.get('service_csrf')]);
  });

  it('a write rejected with csrf_failed is repeated once, and only if another tab has signed in meanwhile', async () => {
    const { browser, email } = await arrive();
    const [tab, other] = [browser.openTab(), browser.openTab()];
    const csrfFailed = () => Response.json({ error: { code: 'csrf_failed', message: 'no' } }, { status: 403 });
    let times = 0;
    browser.state.alter = ({ method }) => {
      if (method !== 'PATCH' || times++ > 0) return undefined;
      return other.signIn.withPassword({ email, password: PASSWORD }).then(csrfFailed);
    };
    expect((await tab.account.update({ display_name: 'Ada' })).display_name).toBe('Ada');
    expect(browser.asked.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
    browser.state.alter = ({ method }) => (method === 'PATCH' ? csrfFailed() : undefined);
    await expect(tab.account.update({ display_name: 'Eve' })).rejects.toMatchObject({ code: 'csrf_failed' });
    expect(browser.asked.filter(({ method }) => method === 'PATCH')).toHaveLength(3);
  });

  it('a write fails with csrf_failed while a user other than the one shown is signed in, even after a refresh', async () => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    tab.bindUser((await tab.session.current()).user.user_id);
    expect((await tab.account.update({ display_name: 'Ada' })).display_name).toBe('Ada');
    const eve = await registerUser(app);
    for (const [name, value] of eve.browser.jar) browser.jar.set(name, value);
    await expect(tab.account.update({ display_name: 'Mallory' })).rejects.toMatchObject({ code: 'csrf_failed' });
    browser.endAccess();
    await expect(tab.account.update({ display_name: 'Mallory' })).rejects.toMatchObject({ code: 'csrf_failed' });
    expect((await tab.account.read()).display_name).toBeNull();
  });

  it('a write sends FormData unchanged, so that the service can check the file', async () => {
    const { browser } = await arrive();
    const upload = browser.openTab().account.uploadAvatar(new Blob(['no picture']));
    await expect(upload).rejects.toMatchObject({ code: 'invalid_input', fields: ['avatar'] });
  });
});

describe('values in a path', () => {
  it('a value in a path is encoded and stays one segment', async () => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    await expect(tab.users.read('../auth/session?x=1#y')).rejects.toMatchObject({ code: 'forbidden' });
    expect(browser.asked.map(({ path }) => path)).toEqual(['/users/..%2Fauth%2Fsession%3Fx%3D1%23y']);
  });

  it.each(['', '.', '..'])('the path value %j fails with not_found without a request', async (id) => {
    const { browser } = await arrive();
    const tab = browser.openTab();
    await expect(tab.session.end(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(tab.users.resetMfa(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(browser.asked).toEqual([]);
  });
});

describe('a response that is not from the service', () => {
  it.each([
    ['an HTML page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['an empty body', () => new Response(null, { status: 503 })],
    ['an unknown error code', () => Response.json({ error: { code: 'teapot', message: 'short' } }, { status: 418 })],
    ['an error body of another format', () => Response.json({ error: 'gateway' }, { status: 504 })],
    ['a code that every object inherits', () => Response.json({ error: { code: 'toString' } }, { status: 500 })],
    ['a body that is not an object', () => Response.json(null, { status: 500 })],
    ['truncated JSON', () => new Response('{"items":', { headers: { 'content-type': 'application/json' } })],
  ])('a response with %s makes the call reject with unreachable', async (_what, answer) => {
    const { browser } = await arrive();
    browser.state.alter = answer;
    await expect(browser.openTab().session.list()).rejects.toMatchObject({
      name: 'GatehouseError',
      code: 'unreachable',
    });
  });

  it('a connection that is lost while the body is sent rejects with unreachable', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"password":', () => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = openBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    await expect(browser.openTab().signIn.options()).rejects.toMatchObject({ code: 'unreachable', status: 0 });
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('failures', () => {
  it('the error of a failed call contains retry_after in seconds and the request id', async () => {
    const { browser } = await arrive();
    const limited = (after: string) => () =>
      Response.json(
        { error: { code: 'rate_limited', message: 'slow down' } },
        { status: 429, headers: { 'retry-after': after, 'x-request-id': 'r1' } },
      );
    browser.state.alter = limited('30');
    const failure = { code: 'rate_limited', status: 429, message: 'slow down', retry_after: 30, request_id: 'r1' };
    await expect(browser.openTab().account.read()).rejects.toMatchObject(failure);
    browser.state.alter = limited('Wed, 21 Oct 2015 07:28:00 GMT');
    await expect(browser.openTab().account.read()).rejects.toMatchObject({ ...failure, retry_after: undefined });
  });

  it('the error of a failed call names the step-up that the service asks for, or undefined if the header is unknown or missing', async () => {
    const { browser, user_id } = await arrive();
    await setUser(app, user_id, { platform_role: 'admin' });
    await app.deps.bus.deliver([{ topic: 'user', key: user_id }]);
    const tab = browser.openTab();
    await expect(tab.providers.test('oauth_a')).rejects.toMatchObject({ code: 'mfa_required', step_up: 'enroll' });
    await expect(
      tab.account.changePassword({ current_password: 'wrong', new_password: 'x'.repeat(12) }),
    ).rejects.toMatchObject({
      code: 'authentication_required',
      step_up: undefined,
    });
    const error = { code: 'mfa_required', message: 'no' };
    for (const headers of [{}, { 'x-service-step-up': 'dance' }]) {
      browser.state.alter = () => Response.json({ error }, { status: 401, headers });
      await expect(tab.providers.test('oauth_a')).rejects.toMatchObject({ code: 'mfa_required', step_up: undefined });
    }
  });

  it('a failed HEAD request, whose response has no body, gets its error code from the status', async () => {
    const { browser } = await arrive();
    await expect(browser.openTab().audit.checkExport()).rejects.toMatchObject({ code: 'payment_required' });
  });

  it('an aborted call fails with the AbortError of its signal, and no request is sent', async () => {
    const browser = openBrowser(base);
    const signal = AbortSignal.abort();
    const calls = browser.openTab().with({ signal });
    await expect(calls.signIn.beginPasskey()).rejects.toMatchObject({ name: 'AbortError' });
    expect(browser.asked).toEqual([]);
  });
});
