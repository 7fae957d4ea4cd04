import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, createClient } from './index.ts';

const BASE = 'https://id.example.com/v1';
const NOTES = 'https://api.example.com/notes';
const STALE = 'Bearer error="invalid_token", error_description="stale"';

/** Fakes for the page of a product: the service, which issues `token-1`, `token-2`, …, and the product's API. */
let api: (token: string | null, request: Request) => Response | Promise<Response>;
let refresh: () => Response | Promise<Response>;
let refreshes: number;
let sent: { token: string | null; method: string; body: string; type: string | null }[];
let client: Client;
const send = (async (address: string | URL, init?: RequestInit) => {
  if (String(address) === `${BASE}/auth/refresh`) {
    refreshes += 1;
    return refresh();
  }
  const request = new Request(address, { ...init, ...(init?.body instanceof ReadableStream && { duplex: 'half' }) });
  const token = request.headers.get('authorization');
  const body = await request.clone().text();
  sent.push({ token, method: request.method, body, type: request.headers.get('content-type') });
  return api(token, request);
}) as typeof fetch;

beforeEach(() => {
  vi.stubGlobal('document', { cookie: '' });
  vi.stubGlobal('location', new URL('https://app.example.com'));
  refreshes = 0;
  sent = [];
  api = () => Response.json([]);
  refresh = () => Response.json({ access_token: `token-${refreshes}`, expires_in: 900 });
  client = createClient({ base: BASE, fetch: send });
});
afterEach(() => vi.unstubAllGlobals());

const unauthorized = (challenge?: string): Response =>
  new Response('{}', { status: 401, headers: challenge === undefined ? {} : { 'www-authenticate': challenge } });
const onlyAccept =
  (accepted: string, challenge: string | undefined = STALE) =>
  (token: string | null) =>
    token === `Bearer ${accepted}` ? Response.json([]) : unauthorized(challenge);
const tokensSent = () => sent.map(({ token }) => token);

describe('client.fetch', () => {
  it('sends the access token with the headers and the body of the caller', async () => {
    const answer = await client.fetch(new URL(NOTES), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"Buy bread"}',
    });
    expect(answer.status).toBe(200);
    expect(sent).toEqual([
      { token: 'Bearer token-1', method: 'POST', body: '{"text":"Buy bread"}', type: 'application/json' },
    ]);
  });

  it.each([
    ['stale', STALE],
    ['expired', 'Bearer error="invalid_token"'],
    ['rejected for a reason that the page cannot read', undefined],
  ])('refreshes once and repeats the request once if the token is %s', async (_, challenge) => {
    api = onlyAccept('token-2', challenge);
    const answer = await client.fetch(NOTES, { method: 'PUT', body: 'approved' });
    expect(answer.status).toBe(200);
    expect(tokensSent()).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(sent.map(({ method, body }) => [method, body])).toEqual([
      ['PUT', 'approved'],
      ['PUT', 'approved'],
    ]);
    expect(refreshes).toBe(2);
  });

  it.each([
    ['authentication_required', 2],
    ['mfa_required', 1],
  ])('without a readable header, the code %s of a 401 decides whether to refresh', async (code, requests) => {
    api = () => Response.json({ error: { code } }, { status: 401 });
    const answer = await client.fetch(NOTES);
    expect(await answer.json()).toEqual({ error: { code } });
    expect(sent).toHaveLength(requests);
  });

  it('session.refresh replaces the token, and rejects as signed out if the session has ended', async () => {
    await client.fetch(NOTES);
    await client.session.refresh();
    await client.fetch(NOTES);
    expect(tokensSent()).toEqual(['Bearer token-1', 'Bearer token-2']);
    const error = { code: 'authentication_required', message: 'sign in first', type: 'authentication_error' };
    refresh = () => Response.json({ error }, { status: 401 });
    await expect(client.session.refresh()).rejects.toMatchObject({ signed_out: true });
  });

  it('returns the second 401 without another refresh', async () => {
    api = onlyAccept('no token');
    const answer = await client.fetch(NOTES);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, STALE]);
    expect(tokensSent()).toEqual(['Bearer token-1', 'Bearer token-2']);
    expect(refreshes).toBe(2);
  });

  it('shares one refresh between requests that are rejected at the same time', async () => {
    await client.accessToken();
    api = onlyAccept('token-2');
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.fetch(NOTES)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(refreshes).toBe(2);
  });

  it.each([
    ['asks for a second factor', 401, 'Bearer error="insufficient_user_authentication"'],
    ['lacks a permission', 403, 'Bearer error="insufficient_scope"'],
    ['fails', 500, undefined],
  ])('does not refresh if the API %s', async (_, status, challenge) => {
    api = () => new Response('{}', { status, headers: challenge ? { 'www-authenticate': challenge } : {} });
    expect((await client.fetch(NOTES)).status).toBe(status);
    expect([sent.length, refreshes]).toEqual([1, 1]);
  });

  it('does not repeat a request whose body is a stream', async () => {
    api = onlyAccept('token-2');
    const body = new Blob(['once']).stream();
    const answer = await client.fetch(NOTES, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect([answer.status, sent.length]).toEqual([401, 1]);
  });

  it('rejects with signed_out if the session has ended', async () => {
    await client.accessToken();
    api = onlyAccept('no token', 'Bearer error="invalid_token"');
    refresh = () => Response.json({ error: { code: 'authentication_required', message: 'no' } }, { status: 401 });
    await expect(client.fetch(NOTES)).rejects.toMatchObject({ signed_out: true });
  });

  it('rejects with the error of fetch if the API cannot be reached', async () => {
    api = () => Promise.reject(new TypeError('fetch failed'));
    await expect(client.fetch(NOTES)).rejects.toThrow(TypeError);
    expect(refreshes).toBe(1);
  });

  it('returns the 401 if the client only has the token of its caller', async () => {
    api = onlyAccept('token-2');
    const answer = await createClient({ base: BASE, fetch: send, access_token: 'given' }).fetch(NOTES);
    expect([answer.status, answer.headers.get('www-authenticate'), refreshes]).toEqual([401, STALE, 0]);
  });

  it('fails with csrf_failed if another user has signed in meanwhile', async () => {
    const tokenOf = (sub: string) => `x.${btoa(JSON.stringify({ sub, org: 'o' }))}.x`;
    refresh = () => Response.json({ access_token: tokenOf(refreshes === 1 ? 'ada' : 'eve'), expires_in: 900 });
    client.bindUser('ada', 'o');
    api = onlyAccept('no token');
    await expect(client.fetch(NOTES)).rejects.toMatchObject({ code: 'csrf_failed' });
    expect(sent).toHaveLength(1);
  });
});
