import { createHash } from 'node:crypto';
import type { Application } from '@gatehouse/contract';
import { insertAdministrator } from '../../../test/administrator.ts';
import { type Answer, type Browser, createBrowser } from '../../../test/browser.ts';
import type { TestApp } from '../../../test/harness.ts';

export const CALLBACK = 'https://wiki.example.com/callback';

export interface TestClient {
  readonly application: Application;
  readonly client_id: string;
  /** Undefined unless the application is of kind `web`. */
  readonly secret: string | undefined;
}

export async function createClient(app: TestApp, given: Record<string, unknown> = {}): Promise<TestClient> {
  const admin = await insertAdministrator(app, 'admin', app.clock.now());
  const body = { name: 'Wiki', kind: 'web', redirect_uris: [CALLBACK], ...given };
  const created = await admin.post('/admin/applications', body);
  if (created.status !== 201) throw new Error(`answered ${created.status}: ${created.text}`);
  const application = created.json as Application;
  const secret =
    application.kind === 'web' ? await admin.post(`/admin/applications/${application.id}/secrets`) : undefined;
  return { application, client_id: application.client_id, secret: secret?.json.secret };
}

export const VERIFIER = 'a-code-verifier-of-at-least-43-characters-000';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

type Fields = Record<string, string | undefined>;

/** An authorization request; a field that is undefined is left out. */
export function authorizePath({ client_id }: Pick<TestClient, 'client_id'>, fields: Fields = {}): string {
  const all: Fields = {
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    scope: 'openid',
    state: 'the state',
    nonce: 'the nonce',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...fields,
  };
  return `/oauth/authorize?${new URLSearchParams(present(all))}`;
}

const present = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined));

export const locationOf = ({ headers }: Answer): URL => new URL(String(headers.location), 'http://localhost:8080');

export const responseOf = (answer: Answer): Record<string, string> =>
  Object.fromEntries(locationOf(answer).searchParams);

/** Follows a redirect through `resume`, if there is one. */
export async function authorize(
  browser: Browser,
  client: Pick<TestClient, 'client_id'>,
  fields: Fields = {},
): Promise<Answer> {
  const first = await browser.get(authorizePath(client, fields));
  if (!String(first.headers.location).startsWith('/v1/auth/oauth-interactions/resume')) return first;
  const resumed = await browser.get(String(first.headers.location).slice('/v1'.length));
  return browser.get(String(resumed.headers.location));
}

export const interactionIn = (answer: Answer): string => {
  const id = locationOf(answer).searchParams.get('interaction');
  if (id === null) throw new Error(`no interaction in ${answer.status} ${answer.headers.location} ${answer.text}`);
  return id;
};

export const decide = (browser: Browser, id: string, body: Record<string, unknown> = { decision: 'allow' }) =>
  browser.post(`/auth/oauth-interactions/${id}`, body);

/** Authorizes, consents if asked, and returns the code. */
export async function codeFor(browser: Browser, client: TestClient, fields: Fields = {}): Promise<string> {
  let answer = await authorize(browser, client, fields);
  let location = String(answer.headers.location);
  if (location.startsWith('/consent')) {
    answer = await decide(browser, interactionIn(answer));
    location = answer.json.redirect_to;
  }
  const code = new URL(location, 'http://localhost:8080').searchParams.get('code');
  if (code === null) throw new Error(`no code in ${answer.status} ${location} ${answer.text}`);
  return code;
}

/** Sends a form. The client authenticates by `client_secret_post`, or is public. */
export function postForm(
  app: TestApp | string,
  path: string,
  client: TestClient | undefined,
  fields: Fields,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = { ...(client && { client_id: client.client_id, client_secret: client.secret }), ...fields };
  return createBrowser(app).send('POST', path, {
    body: new URLSearchParams(present(all)).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

export const exchange = (
  app: TestApp | string,
  client: TestClient,
  code: string,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...fields };
  return postForm(app, '/oauth/token', client, form, headers);
};

export const refresh = (
  app: TestApp | string,
  client: TestClient,
  refresh_token: string,
  fields: Fields = {},
): Promise<Answer> => postForm(app, '/oauth/token', client, { grant_type: 'refresh_token', refresh_token, ...fields });

export const userinfo = (app: TestApp | string, access_token: string): Promise<Answer> =>
  createBrowser(app).get('/oauth/userinfo', { headers: { authorization: `Bearer ${access_token}` } });

export const introspect = (app: TestApp, client: TestClient, token: string): Promise<Answer> =>
  postForm(app, '/oauth/introspect', client, { token });

export const payloadOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
