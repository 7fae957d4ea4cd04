import { newEmail } from '../../packages/server/test/browser.ts';
import type { Cast } from './cookies-fixture.ts';
import type { Raw } from './raw-request-fixture.ts';

/** The content types that a page of another site can send without a preflight request. */
const SIMPLE = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', undefined];

/** Requests that would use credentials or links of the forger in the browser of the victim. */
export function formsOf({ forger: { email, password } }: Cast): (Raw & { name: string })[] {
  const given: Record<string, object> = {
    '/auth/login': { email, password },
    '/auth/register': { email: newEmail(), password, organization_name: 'Example' },
    '/auth/email-otp/verify': { email, code: '000000' },
    '/auth/mfa/challenge': { mfa_token: 'a.b.c', code: '000000' },
    '/auth/passkey/login/complete': { credential: {} },
    '/auth/password/reset': { token: 'token', new_password: password },
    '/auth/email/verify': { token: 'token' },
    '/auth/invitations/accept': { token: 'token', password },
  };
  return Object.entries(given).flatMap(([path, fields]) =>
    SIMPLE.map((type) => {
      const headers: [string, string][] = [['origin', 'https://evil.example']];
      if (type !== undefined) headers.push(['content-type', type]);
      return { name: `${path} as ${type}`, method: 'POST', path: `/v1${path}`, headers, body: JSON.stringify(fields) };
    }),
  );
}

const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override', 'x-original-method'];
const ODD_METHODS = ['PROPFIND', 'QUERY', 'LINK', 'PURGE', 'SEARCH', 'TRACE', 'MOVE', 'LOCK', 'REPORT'];
const SESSIONS = '/v1/auth/sessions?include_current=true';

/** Requests that need no CSRF header but try to be treated as another method, and the expected outcomes. */
export function disguises(cookies: string): [string, Raw, RegExp][] {
  const cookie = ['cookie', cookies] as const;
  return [
    ...OVERRIDES.flatMap((header) =>
      ['GET', 'HEAD', 'OPTIONS'].map((method): [string, Raw, RegExp] => [
        `${method} with ${header}: DELETE`,
        { method, path: SESSIONS, headers: [cookie, [header, 'DELETE']] },
        method === 'OPTIONS' ? /^404/ : /^200$/,
      ]),
    ),
    ['_method in the query', { path: `${SESSIONS}&_method=DELETE`, headers: [cookie] }, /^200$/],
    ['GET where only POST is', { path: '/v1/auth/logout', headers: [cookie] }, /^404 not_found$/],
    ['HEAD where only POST is', { method: 'HEAD', path: '/v1/auth/logout', headers: [cookie] }, /^404/],
    ...ODD_METHODS.map((method): [string, Raw, RegExp] => [
      `${method} where DELETE is`,
      { method, path: SESSIONS, headers: [cookie] },
      /^4\d\d/,
    ]),
  ];
}
