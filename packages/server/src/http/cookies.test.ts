import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../test/harness.ts';
import { clearCookies, flowCookie, readCookie, setCookies } from './cookies.ts';
import { type Feature, route } from './route.ts';

const probe: Feature = {
  name: 'Probe',
  routes: [
    route({
      method: 'GET',
      path: '/set',
      admits: ['anyone'],
      summary: 'sets all cookies',
      responses: { 204: null },
      sends: ['Set-Cookie'],
      handler: ({ deps, reply }) => {
        setCookies(reply, deps.config, { service_at: 'a', service_rt: 'r', service_csrf: 'c', service_trust: 't' });
        return reply.code(204).send();
      },
    }),
    route({
      method: 'GET',
      path: '/flow',
      admits: ['anyone'],
      summary: 'sets the cookie of a third-party sign-in',
      responses: { 204: null },
      sends: ['Set-Cookie'],
      handler: ({ deps, reply }) => {
        setCookies(reply, deps.config, { [flowCookie(deps.config)]: 'f' });
        return reply.code(204).send();
      },
    }),
    route({
      method: 'GET',
      path: '/clear',
      admits: ['anyone'],
      summary: 'clears some',
      responses: { 204: null },
      sends: ['Set-Cookie'],
      handler: ({ deps, reply }) => {
        clearCookies(reply, deps.config, ['service_at', 'service_rt']);
        return reply.code(204).send();
      },
    }),
  ],
};

let app: TestApp;
beforeAll(async () => {
  const environment = { PUBLIC_BASE_URL: 'https://id.example.com', ROUTE_PREFIX: '/api/id' };
  app = await startTestApp({ features: [probe], environment });
});
afterAll(() => app.close());

describe('§5.2 cookies', () => {
  it('cookies have the path, lifetime and flags of §5.2, and Secure over https', async () => {
    const { headers } = await app.server.inject('/api/id/set');
    expect(headers['set-cookie']).toEqual([
      'service_at=a; Path=/; Max-Age=900; SameSite=Lax; HttpOnly; Secure',
      'service_rt=r; Path=/api/id; Max-Age=2592000; SameSite=Lax; HttpOnly; Secure',
      'service_csrf=c; Path=/; Max-Age=900; SameSite=Lax; Secure',
      'service_trust=t; Path=/api/id; Max-Age=2592000; SameSite=Lax; HttpOnly; Secure',
    ]);
  });

  it('are cleared on the path they were set on', async () => {
    const { headers } = await app.server.inject('/api/id/clear');
    const gone = 'Max-Age=0; SameSite=Lax; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure';
    expect(headers['set-cookie']).toEqual([`service_at=; Path=/; ${gone}`, `service_rt=; Path=/api/id; ${gone}`]);
  });

  it('are not Secure over http unless the setting says so', async () => {
    const plain = await startTestApp({ features: [probe] });
    expect(String((await plain.server.inject('/v1/set')).headers['set-cookie'])).not.toContain('Secure');
    await plain.close();
    const forced = await startTestApp({ features: [probe], environment: { SECURE_COOKIES: 'on' } });
    expect(String((await forced.server.inject('/v1/set')).headers['set-cookie'])).toContain('Secure');
    await forced.close();
  });

  it('the cookie of a third-party sign-in is valid for ten minutes and has the __Host- prefix over https', async () => {
    const secure = await app.server.inject('/api/id/flow');
    expect(secure.headers['set-cookie']).toEqual([
      '__Host-service_oauth=f; Path=/; Max-Age=600; SameSite=Lax; HttpOnly; Secure',
    ]);
    const plain = await startTestApp({ features: [probe] });
    expect((await plain.server.inject('/v1/flow')).headers['set-cookie']).toEqual([
      'service_oauth=f; Path=/v1; Max-Age=600; SameSite=Lax; HttpOnly',
    ]);
    await plain.close();
    expect(readCookie('service_oauth=x', '__Host-service_oauth')).toBeUndefined();
    expect(readCookie('__Host-service_oauth=x', 'service_oauth')).toBeUndefined();
    expect(readCookie('service_oauth=x; __Host-service_oauth=y', '__Host-service_oauth')).toBe('y');
  });

  it.each([
    ['service_at=x', 'x'],
    ['a=b;service_at=x ; c', 'x'],
    ['service_at=x=y', 'x=y'],
    ['xservice_at=x', undefined],
    ['\tservice_at=x\t', 'x'],
    [`a${' '.repeat(9_000)}b=1; service_at=x${' '.repeat(9_000)}`, 'x'],
    // For browsers, a no-break space makes this another name, which a page on a sibling host may set.
    ['\u00a0service_at=x', undefined],
    ['service_at\u00a0=x', undefined],
    ['service_at', undefined],
    ['service_at=', undefined],
    ['service_at=x; service_at=y', undefined],
    [undefined, undefined],
  ])('the value of service_at in the Cookie header %s is %s', (header, value) =>
    expect(readCookie(header, 'service_at')).toBe(value),
  );
});
