import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { tokenEndpoint } from './token-endpoint.ts';
import type { TokenGrant } from './token-grant.ts';

/** Issues the client's own credentials, so that a test sees what the grant received. */
const echo: TokenGrant = {
  grant_type: 'echo',
  clients: 'application',
  handle: async (_deps, _caller, { client, form }) => {
    if (form.has('fail')) throw new Error('database password in here');
    return {
      access_token: `${client.client_id} ${client.client_secret}`,
      token_type: 'Bearer',
      expires_in: 1,
      scope: form.get('scope') ?? '',
    };
  },
};

const app = useTestApp({ features: [tokenEndpoint([echo])] });

type Ask = { body?: string; authorization?: string; type?: string };
const ask = async ({ body = 'grant_type=echo', authorization, type = 'application/x-www-form-urlencoded' }: Ask) => {
  const { statusCode, headers, json } = await app.server.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': type, ...(authorization !== undefined && { authorization }) },
    body,
  });
  return { status: statusCode, headers, json: json() };
};
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('POST /oauth/token reads the client from the header or the form', () => {
  it.each<[string, Ask, string]>([
    ['Basic', { authorization: basic('app:secret') }, 'app secret'],
    ['Basic in lower case', { authorization: basic('app:secret').replace('Basic', 'basic') }, 'app secret'],
    ['percent-encoded Basic', { authorization: basic('a%3Ap%70:s%C3%A9+c%2B:x') }, 'a:pp sé c+:x'],
    ['the form', { body: 'grant_type=echo&client_id=app&client_secret=s%20x' }, 'app s x'],
    ['the form without a secret', { body: 'grant_type=echo&client_id=app&client_secret=' }, 'app undefined'],
    [
      'Basic with the same client_id',
      { authorization: basic('app:s'), body: 'grant_type=echo&client_id=app' },
      'app s',
    ],
    [
      'the form, with another scheme in the header',
      { authorization: 'Bearer x', body: 'grant_type=echo&client_id=app' },
      'app undefined',
    ],
  ])('%s', async (_, request, seen) => {
    const { status, headers, json } = await ask(request);
    expect([status, json.access_token]).toEqual([200, seen]);
    expect([headers['cache-control'], headers.pragma]).toEqual(['no-store', 'no-cache']);
  });
});

describe('POST /oauth/token reports errors as RFC 6749 says', () => {
  const twice = 'client_id=app&client_secret=s';
  it.each<[string, Ask, number, string, string]>([
    ['no body', { body: '' }, 400, 'invalid_request', 'grant_type'],
    ['no grant_type', { body: 'client_id=app' }, 400, 'invalid_request', 'grant_type'],
    ['an empty grant_type', { body: 'grant_type=' }, 400, 'invalid_request', 'grant_type'],
    [
      'an unknown grant_type',
      { body: 'grant_type=password&client_id=app' },
      400,
      'unsupported_grant_type',
      'grant_type',
    ],
    ['a repeated parameter', { body: 'grant_type=echo&scope=a&scope=a' }, 400, 'invalid_request', 'scope'],
    ['a repeated empty parameter', { body: 'grant_type=echo&x=&x=' }, 400, 'invalid_request', 'x'],
    ['a repeated odd parameter', { body: 'grant_type=echo&%3Cb%3E&%3Cb%3E' }, 400, 'invalid_request', 'parameter'],
    ['a control character', { body: 'grant_type=echo&scope=%00' }, 400, 'invalid_request', 'scope'],
    ['JSON', { body: '{}', type: 'application/json' }, 400, 'invalid_request', 'body'],
    ['no content type', { body: 'grant_type=echo', type: '' }, 400, 'invalid_request', 'body'],
    ['a long body', { body: `grant_type=echo&scope=${'x'.repeat(70_000)}` }, 400, 'invalid_request', 'body'],
    ['no client', {}, 401, 'invalid_client', 'client'],
    [
      'a grant_type for clients of another kind',
      { body: 'grant_type=echo&client_id=gth_x' },
      400,
      'unauthorized_client',
      'grant_type',
    ],
    ['Basic without a colon', { authorization: basic('app') }, 401, 'invalid_client', 'client'],
    ['Basic without a client id', { authorization: basic(':s') }, 401, 'invalid_client', 'client'],
    ['Basic that is not base64', { authorization: 'Basic {}' }, 401, 'invalid_client', 'client'],
    ['Basic with a broken escape', { authorization: basic('app:%zz') }, 401, 'invalid_client', 'client'],
    [
      'Basic and a secret in the form',
      { authorization: basic('app:s'), body: `grant_type=echo&${twice}` },
      400,
      'invalid_request',
      'client_secret',
    ],
    [
      'Basic and another client in the form',
      { authorization: basic('app:s'), body: 'grant_type=echo&client_id=b' },
      400,
      'invalid_request',
      'client_id',
    ],
    ['a failure of the service', { body: `grant_type=echo&${twice}&fail=1` }, 500, 'server_error', 'internal'],
  ])('%s', async (_, request, status, error, names) => {
    const answer = await ask(request);
    expect([answer.status, answer.json.error]).toEqual([status, error]);
    expect(answer.json.error_description).toContain(names);
    expect(Object.keys(answer.json)).toEqual(['error', 'error_description']);
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Basic realm="oauth"' : undefined);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('an unknown path below /oauth, and another method, are 404 with a JSON body', async () => {
    for (const [method, url] of [
      ['GET', '/oauth/token'],
      ['POST', '/oauth/none'],
    ] as const) {
      const answer = await app.server.inject({ method, url, headers: { accept: 'text/html' } });
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    }
  });
});
