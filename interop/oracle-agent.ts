import { createHash } from 'node:crypto';

export interface Side {
  readonly issuer: string;
  readonly authorize: string;
  readonly token: string;
  readonly userinfo: string;
  readonly introspect: string;
  readonly revoke: string;
  readonly client_id: string;
  readonly secret: string;
  readonly redirect_uri: string;
  /** Set for our service, where the user signs in and decides by the API. */
  readonly service?: { readonly url: string };
}

export type Params = Readonly<Record<string, string | readonly string[] | undefined>>;
export type Authorization = 'valid' | 'wrong' | 'none';
export type Agent = ReturnType<typeof createAgent>;

const VERIFIER = 'a-verifier-of-the-oracle-with-at-least-43-characters';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const encode = (params: Params): URLSearchParams =>
  new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((each): [string, string] => [name, each]),
    ),
  );

export function decodeToken(token: string) {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
  return { header: header!, claims: claims! };
}

/** A client and its user's browser, with cookies. Follows redirects until they lead to the client. */
export function createAgent(side: Side) {
  const cookies = new Map<string, string>();
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

  async function visit(address: string, init: RequestInit = {}): Promise<Response> {
    const headers = { accept: 'text/html', cookie: cookieHeader(), ...(init.headers as Record<string, string>) };
    const answer = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '' || /max-age=0|1970/i.test(line)) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return answer;
  }

  /** Decides the interaction. At our service it first signs in by the API, once; the session is in cookies. */
  async function decide(location: string): Promise<string> {
    const { url } = side.service!;
    const id = new URL(location, url).searchParams.get('interaction');
    const answer = await visit(`${url}/v1/auth/oauth-interactions/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-csrf': cookies.get('service_csrf') ?? '' },
      body: JSON.stringify({ decision: 'allow' }),
    });
    if (!answer.ok) throw new Error(`the decision was answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { redirect_to: string }).redirect_to;
  }

  async function signIn(): Promise<void> {
    if (!side.service || cookies.has('service_csrf')) return;
    const answer = await visit(`${side.service.url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery staple' }),
    });
    if (!answer.ok) throw new Error(`the sign-in was answered ${answer.status}: ${await answer.text()}`);
  }

  const authorizeUrl = (params: Params): string =>
    `${side.authorize}?${encode({
      client_id: side.client_id,
      redirect_uri: side.redirect_uri,
      response_type: 'code',
      scope: 'openid email',
      state: 'the state',
      nonce: 'the nonce',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
      // Makes both providers ask for consent again, so that they issue a refresh token.
      ...(String(params.scope).includes('offline_access') && { prompt: 'consent' }),
      ...params,
    })}`;

  /** Returns the URL at which the client gets the response, or the status of a page. */
  async function follow(params: Params): Promise<URL | number> {
    let address = authorizeUrl(params);
    for (let hop = 0; hop < 12; hop++) {
      const answer = await visit(address);
      const location = answer.headers.get('location');
      if (location === null) return answer.status;
      address = new URL(location, address).href;
      if (side.service && address.includes('interaction=')) address = await decide(address);
      if (address.startsWith(side.redirect_uri)) return new URL(address);
    }
    throw new Error(`the redirects do not end: ${address}`);
  }

  const basic = (secret: string) =>
    `Basic ${Buffer.from(`${encodeURIComponent(side.client_id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

  const post = (address: string, form: Params, authorization: Authorization = 'valid'): Promise<Response> =>
    fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization !== 'none' && { authorization: basic(authorization === 'valid' ? side.secret : 'wrong') }),
      },
      body: encode(form).toString(),
    });

  const errorOf = async (answer: Response) => {
    const text = await answer.text();
    const body = (text.startsWith('{') ? JSON.parse(text) : {}) as { error?: string };
    return [answer.status, body.error ?? null];
  };

  async function code(params: Params): Promise<string> {
    await signIn();
    const url = await follow(params);
    const found = typeof url === 'number' ? null : url.searchParams.get('code');
    if (found === null) throw new Error(`no code: ${url}`);
    return found;
  }

  const exchange = (given: string, form: Params = {}): Promise<Response> =>
    post(side.token, {
      grant_type: 'authorization_code',
      code: given,
      redirect_uri: side.redirect_uri,
      code_verifier: VERIFIER,
      ...form,
    });

  async function tokens(params: Params) {
    const answer = await exchange(await code(params));
    const body = (await answer.json()) as Record<string, string>;
    const shape = {
      status: answer.status,
      type: body.token_type,
      scope: String(body.scope).split(' ').sort(),
      cached: answer.headers.get('cache-control'),
    };
    return { shape, body: body as Record<'access_token' | 'id_token' | 'refresh_token', string> };
  }

  return {
    tokens,
    /** Returns the error of a request without a session, and whether the response contains state and issuer. */
    async authorizationError(params: Params) {
      cookies.clear();
      // Stops at a sign-in page.
      const answer = await stopAtPage(params);
      if (typeof answer === 'number') return answer;
      const found = answer.hash ? new URLSearchParams(answer.hash.slice(1)) : answer.searchParams;
      return [found.get('error'), found.get('state'), found.get('iss') === side.issuer, answer.hash ? '#' : '?'];
    },
    tokenError: async (form: Params, authorization?: Authorization) =>
      errorOf(await post(side.token, form, authorization)),
    exchangeError: async (form: Params) => errorOf(await exchange(await code({}), form)),
    /** Exchanges a code twice. Returns the errors of the second exchange, and of userinfo with the first token. */
    async replayCode() {
      const given = await code({});
      const first = (await (await exchange(given)).json()) as { access_token: string };
      const second = await errorOf(await exchange(given));
      return [second, (await this.userinfo(first.access_token)).error];
    },
    /** Uses a refresh token twice. Returns the errors of the second use, and of the token from the first use. */
    async replayRefresh() {
      const { body } = await tokens({ scope: 'openid email offline_access' });
      const use = (token: string) => post(side.token, { grant_type: 'refresh_token', refresh_token: token });
      const first = (await (await use(body.refresh_token)).json()) as { refresh_token: string };
      const next = (await (await use(first.refresh_token)).json()) as { refresh_token: string };
      return [await errorOf(await use(body.refresh_token)), await errorOf(await use(next.refresh_token))];
    },
    async userinfo(token: string) {
      const answer = await fetch(side.userinfo, { headers: { authorization: `Bearer ${token}` } });
      const challenge = answer.headers.get('www-authenticate') ?? '';
      const error = [answer.status, /error="([^"]+)"/.exec(challenge)?.[1] ?? null];
      return { error, body: answer.ok ? ((await answer.json()) as object) : {} };
    },
    async introspect(token: string) {
      const answer = await post(side.introspect, { token });
      return [answer.status, await answer.json()];
    },
    revoke: async (token: string | undefined) => errorOf(await post(side.revoke, { token })),
  };

  async function stopAtPage(params: Params): Promise<URL | number> {
    let address = authorizeUrl(params);
    for (let hop = 0; hop < 4; hop++) {
      const answer = await visit(address);
      const location = answer.headers.get('location');
      if (location === null) return answer.status;
      address = new URL(location, address).href;
      if (address.startsWith(side.redirect_uri)) return new URL(address);
      if (/interaction/.test(new URL(address).pathname + new URL(address).search) && !address.includes('resume'))
        return 302;
    }
    return 302;
  }
}
