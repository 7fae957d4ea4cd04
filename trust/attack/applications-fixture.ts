import { createHash } from 'node:crypto';
import type { Application, NewApplication } from '@gatehouse/contract';
import { insertAdministrator } from '../../packages/server/test/administrator.ts';
import type { Answer, Browser, TestUser } from '../../packages/server/test/browser.ts';
import { startTestApp, type TestApp } from '../../packages/server/test/harness.ts';
import { founder } from '../../packages/server/test/team.ts';

export const CALLBACK = 'https://wiki.example.com/callback';
export const RESOURCE = 'https://api.example.com/';
const VERIFIER = 'the-verifier-of-the-attack-corpus-with-43-or-more-characters';
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');
const BASE = 'http://localhost:8080';
export const ISSUER = `${BASE}/oauth`;

/** An application with the credentials that a client of it has. */
export interface Registered extends Application {
  readonly secret: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

export type Params = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Encodes parameters. An undefined value leaves a parameter out, a list repeats it. */
const encode = (params: Params): string =>
  new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((each) => [name, each] as [string, string]),
    ),
  ).toString();

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

interface Admin {
  get(path: string): Promise<Answer>;
  post(path: string, body: object): Promise<Answer>;
  patch(path: string, body: object): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

export interface Stage {
  readonly app: TestApp;
  /** Requests of a platform owner with a second factor that was verified just now. */
  readonly admin: Admin;
  readonly web: Registered;
  /** Another application, with its own secret and redirect URI. */
  readonly other: Registered;
  readonly spa: Registered;
  readonly native: Registered;
  readonly user: TestUser;
  register(body: Omit<NewApplication, 'name'>): Promise<Registered>;
  /** Sends a request to a path at the base address, with the cookies of the browser. */
  ask(browser: Browser | undefined, path: string, options?: Options): Promise<Answer>;
  /** Sends the browser of the user to the authorization endpoint, by default with a valid request. */
  authorize(browser: Browser | undefined, client: Registered, params?: Params): Promise<Answer>;
  /** Goes through authorization with consent, and returns the URL at which the application gets the response. */
  complete(user: TestUser, client: Registered, params?: Params): Promise<URL>;
  code(user: TestUser, client: Registered, params?: Params): Promise<string>;
  /** A request to the token endpoint. The client authenticates unless `authorization` says otherwise. */
  token(client: Registered, form: Params, authorization?: string | null): Promise<Answer>;
  exchange(client: Registered, code: string, form?: Params, authorization?: string | null): Promise<Answer>;
  tokens(user: TestUser, client: Registered, params?: Params): Promise<Tokens>;
  introspect(client: Registered, token: string): Promise<boolean>;
}

interface Options {
  readonly method?: 'GET' | 'POST';
  readonly form?: Params;
  readonly headers?: Record<string, string>;
}

const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'organization'];
export const FULL_SCOPE = 'openid email offline_access';

export const interactionIn = ({ headers }: Pick<Answer, 'headers'>): string | undefined =>
  new URL(String(headers.location ?? ''), BASE).searchParams.get('interaction') ?? undefined;

export async function openStage(): Promise<Stage> {
  const app = await startTestApp();
  // Tests advance the clock, so each request has its own session.
  const administrator = () => insertAdministrator(app, 'owner', app.clock.now());
  const admin: Admin = {
    get: async (path) => (await administrator()).get(path),
    post: async (path, body) => (await administrator()).post(path, body),
    patch: async (path, body) => (await administrator()).patch(path, body),
    delete: async (path) => (await administrator()).delete(path),
  };
  const register = async (body: Omit<NewApplication, 'name'>): Promise<Registered> => {
    const created = await admin.post('/admin/applications', { name: 'Wiki', scopes: SCOPES, ...body });
    if (created.status !== 201) throw new Error(`the application was answered ${created.status}: ${created.text}`);
    const application = created.json as Application;
    const answer = body.kind === 'web' ? await admin.post(`/admin/applications/${application.id}/secrets`, {}) : null;
    return { ...application, secret: answer?.json.secret ?? '' };
  };

  const ask: Stage['ask'] = async (browser, path, { method = 'GET', form, headers = {} } = {}) => {
    const cookie = [...(browser?.jar ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await app.server.inject({
      method,
      url: path,
      headers: {
        accept: 'text/html,application/json',
        ...(cookie && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(form && { body: encode(form) }),
    });
    const set_cookies = [answer.headers['set-cookie'] ?? []].flat().map(String);
    for (const line of set_cookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      browser?.jar.set(name!, value!);
    }
    let json: unknown;
    try {
      json = JSON.parse(answer.body);
    } catch {
      json = undefined;
    }
    return {
      status: answer.statusCode,
      headers: answer.headers as Answer['headers'],
      text: answer.body,
      set_cookies,
      json,
    };
  };

  const authorize: Stage['authorize'] = async (browser, client, params = {}) => {
    const query = encode({
      client_id: client.client_id,
      redirect_uri: client.redirect_uris[0],
      response_type: 'code',
      scope: 'openid email',
      state: 'the state',
      nonce: 'the nonce',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      ...params,
    });
    let answer = await ask(browser, `/oauth/authorize?${query}`);
    // Without an access cookie the request goes once through the path to which the refresh cookie is sent, and back.
    for (
      let hop = 0;
      hop < 2 && /^(\/v1)?\/(auth\/oauth-interactions\/resume|oauth\/authorize)/.test(pathOf(answer));
      hop++
    ) {
      answer = await ask(browser, pathOf(answer));
    }
    return answer;
  };

  const complete: Stage['complete'] = async (user, client, params) => {
    let location = String((await authorize(user.browser, client, params)).headers.location);
    for (let steps = 0; location.startsWith('/') && steps < 3; steps++) {
      const id = new URL(location, BASE).searchParams.get('interaction');
      const decided = await user.browser.post(`/auth/oauth-interactions/${id}`, { decision: 'allow' });
      if (decided.status !== 200) throw new Error(`the decision was answered ${decided.status}: ${decided.text}`);
      location = decided.json.redirect_to;
    }
    return new URL(location);
  };
  const code: Stage['code'] = async (user, client, params) => {
    const url = await complete(user, client, params);
    const found = url.searchParams.get('code');
    if (found === null) throw new Error(`no code in ${url}`);
    return found;
  };

  const token: Stage['token'] = (client, form, authorization) => {
    const isPublic = client.secret === '';
    const header = authorization === undefined ? basic(client.client_id, client.secret) : authorization;
    return ask(undefined, '/oauth/token', {
      method: 'POST',
      form: isPublic && authorization === undefined ? { client_id: client.client_id, ...form } : form,
      headers: header !== null && !(isPublic && authorization === undefined) ? { authorization: header } : {},
    });
  };
  const exchange: Stage['exchange'] = (client, given, form, authorization) =>
    token(
      client,
      {
        grant_type: 'authorization_code',
        code: given,
        redirect_uri: client.redirect_uris[0],
        code_verifier: VERIFIER,
        ...form,
      },
      authorization,
    );
  const tokens: Stage['tokens'] = async (user, client, params) => {
    const answer = await exchange(client, await code(user, client, { scope: FULL_SCOPE, ...params }));
    if (answer.status !== 200) throw new Error(`the exchange was answered ${answer.status}: ${answer.text}`);
    return answer.json as Tokens;
  };
  const introspect: Stage['introspect'] = async (client, given) => {
    const form = { token: given, ...(client.secret === '' && { client_id: client.client_id }) };
    const headers = client.secret === '' ? {} : { authorization: basic(client.client_id, client.secret) };
    const answer = await ask(undefined, '/oauth/introspect', { method: 'POST', form, headers });
    if (answer.status !== 200) throw new Error(`introspection was answered ${answer.status}: ${answer.text}`);
    return answer.json.active as boolean;
  };

  const web = { kind: 'web', redirect_uris: [CALLBACK], resources: [RESOURCE] } as const;
  return {
    app,
    admin,
    web: await register({ ...web, redirect_uris: [...web.redirect_uris], resources: [...web.resources] }),
    other: await register({ kind: 'web', redirect_uris: ['https://other.example.com/callback'] }),
    spa: await register({ kind: 'spa', redirect_uris: ['https://spa.example.com/'] }),
    native: await register({
      kind: 'native',
      redirect_uris: ['http://127.0.0.1/callback', 'com.example.app:/callback'],
    }),
    user: await founder(app),
    register,
    ask,
    authorize,
    complete,
    code,
    token,
    exchange,
    tokens,
    introspect,
  };
}

const pathOf = ({ status, headers }: Answer): string =>
  status === 302 || status === 303 ? String(headers.location ?? '').replace(BASE, '') : '';
