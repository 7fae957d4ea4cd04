import type { LoginSuccess } from '@gatehouse/contract';
import type { TestApp } from './harness.ts';
import { checkServed } from './openapi-watch.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  readonly set_cookies: string[];
  // biome-ignore lint/suspicious/noExplicitAny: a test says itself what it expects
  readonly json: any;
}

export interface Ask {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** If false, the request has no CSRF header. */
  readonly csrf?: boolean;
  /** If false, no cookies are sent or stored. */
  readonly cookies?: boolean;
}

export interface Browser {
  readonly jar: Map<string, string>;
  send(method: string, path: string, ask?: Ask): Promise<Answer>;
  get(path: string, ask?: Ask): Promise<Answer>;
  post(path: string, body?: unknown, ask?: Ask): Promise<Answer>;
  patch(path: string, body?: unknown, ask?: Ask): Promise<Answer>;
  delete(path: string, ask?: Ask): Promise<Answer>;
}

type Sender = (
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | undefined,
) => Promise<Answer>;

const parse = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const inProcess =
  ({ server }: TestApp): Sender =>
  async (method, path, headers, body) => {
    const answer = await server.inject({
      method: method as 'GET',
      url: path,
      headers,
      ...(body !== undefined && { body }),
    });
    const text = answer.body;
    const cookies = [answer.headers['set-cookie'] ?? []].flat().map(String);
    const named = answer.headers as Record<string, string | string[] | undefined>;
    return { status: answer.statusCode, headers: named, text, json: parse(text), set_cookies: cookies };
  };

const overHttp =
  (url: string): Sender =>
  async (method, path, headers, body) => {
    const answer = await fetch(url + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    const named = Object.fromEntries(answer.headers);
    checkServed(url, { method, path, status: answer.status, headers: named, body: text });
    return {
      status: answer.status,
      headers: named,
      text,
      json: parse(text),
      set_cookies: answer.headers.getSetCookie(),
    };
  };

/** Paths are relative to `/v1` unless they begin with `/.`, such as `/.well-known/`, or with `/oauth/`. */
export function createBrowser(target: TestApp | string, jar = new Map<string, string>()): Browser {
  const transmit = typeof target === 'string' ? overHttp(target) : inProcess(target);
  const send = async (method: string, path: string, ask: Ask = {}): Promise<Answer> => {
    const headers: Record<string, string> = {};
    const csrf = jar.get('service_csrf');
    if (ask.cookies !== false && jar.size > 0)
      headers.cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    if (ask.csrf !== false && csrf !== undefined && method !== 'GET') headers['x-service-csrf'] = csrf;
    if (ask.body !== undefined) headers['content-type'] = 'application/json';
    const body = ask.body === undefined || typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body);
    const url = /^\/(\.|oauth\/)/.test(path) ? path : `/v1${path}`;
    const answer = await transmit(method, url, { ...headers, ...ask.headers }, body as string | undefined);
    if (ask.cookies !== false) remember(jar, answer.set_cookies);
    return answer;
  };
  return {
    jar,
    send,
    get: (path, ask) => send('GET', path, ask),
    post: (path, body, ask) => send('POST', path, { ...ask, ...(body !== undefined && { body }) }),
    patch: (path, body, ask) => send('PATCH', path, { ...ask, ...(body !== undefined && { body }) }),
    delete: (path, ask) => send('DELETE', path, ask),
  };
}

function remember(jar: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (/max-age=0(;|$)/i.test(line)) jar.delete(name!);
    else jar.set(name!, value!);
  }
}

export const PASSWORD = 'correct horse battery staple';

let users = 0;
export const newEmail = (name = 'person'): string => `${name}-${process.pid}-${++users}@example.com`;

export const newSlug = (): string => `org-${process.pid}-${++users}`;

export interface TestUser {
  readonly browser: Browser;
  readonly email: string;
  readonly password: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly session_id: string;
  readonly access_token: string;
}

export async function registerUser(target: TestApp | string, given: Record<string, unknown> = {}): Promise<TestUser> {
  const browser = createBrowser(target);
  const email = newEmail();
  const answer = await browser.post('/auth/register', {
    email,
    password: PASSWORD,
    organization_name: 'Example',
    ...given,
  });
  if (answer.status !== 201) throw new Error(`registration was answered ${answer.status}: ${answer.text}`);
  const { user, access_token } = answer.json as LoginSuccess;
  return {
    browser,
    email: user.email,
    password: (given.password as string | undefined) ?? PASSWORD,
    user_id: user.user_id,
    organization_id: user.organization_id,
    session_id: user.session_family_id,
    access_token,
  };
}

export async function signInAgain(target: TestApp | string, account: TestUser): Promise<Browser> {
  const browser = createBrowser(target);
  const answer = await browser.post('/auth/login', { email: account.email, password: account.password });
  if (answer.status !== 200) throw new Error(`sign-in was answered ${answer.status}: ${answer.text}`);
  return browser;
}

export const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());

/** Refreshes with this token, without a cookie jar. */
export const refreshWith = (target: TestApp | string, token: string): Promise<Answer> =>
  createBrowser(target, new Map([['service_rt', token]])).post('/auth/refresh');

export const refreshTokenIn = ({ set_cookies }: Answer): string | undefined =>
  set_cookies.map((line) => /^service_rt=([^;]+)/.exec(line)?.[1]).find(Boolean);

export const atOnce = <T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));

export function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, cookies: false }) as const;
