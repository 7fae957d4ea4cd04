import { createHmac, createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, bearer, claimsOf, createBrowser, type TestUser } from '../../packages/server/test/browser.ts';
import { auditOf, revocationsOf, suspendOrganization } from '../../packages/server/test/records.ts';
import { colleague, founder } from '../../packages/server/test/team.ts';
import { rounds } from '../effort.ts';
import { cases } from '../ledger.ts';
import {
  basic,
  CALLBACK,
  CHALLENGE,
  FULL_SCOPE,
  openStage,
  type Params,
  RESOURCE,
  type Registered,
  type Stage,
  type Tokens,
} from './applications-fixture.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.app.close());

/** Fails unless the response is this error of RFC 6749, without a token. */
const fails = ({ status, json, headers }: Answer, error: string, expected = 400): string | undefined => {
  if (status !== expected || json?.error !== error) return `answered ${status} ${JSON.stringify(json)?.slice(0, 200)}`;
  if ('access_token' in json) return 'has a token';
  return headers['cache-control'] === 'no-store' ? undefined : 'may be cached';
};

const userinfo = (token: string, path = '/oauth/userinfo'): Promise<Answer> =>
  stage.ask(undefined, path, { headers: { authorization: `Bearer ${token}`, accept: 'application/json' } });

const refresh = (client: Registered, { refresh_token }: Tokens, form: Params = {}): Promise<Answer> =>
  stage.token(client, { grant_type: 'refresh_token', refresh_token, ...form });

describe('codes', () => {
  cases('a code is exchanged only by its client, with its verifier and redirect URI', async (ledger) => {
    const attempts: readonly [string, Params, string][] = [
      ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
      ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
      ['an empty verifier', { code_verifier: '' }, 'invalid_grant'],
      ['the challenge as verifier, as with plain', { code_verifier: CHALLENGE }, 'invalid_grant'],
      ['a verifier of one character', { code_verifier: 'x' }, 'invalid_grant'],
      ['a verifier of 10,000 characters', { code_verifier: 'x'.repeat(10_000) }, 'invalid_grant'],
      ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
      ['an empty redirect URI', { redirect_uri: '' }, 'invalid_request'],
      ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 'invalid_grant'],
      ['the redirect URI in other case', { redirect_uri: CALLBACK.toUpperCase() }, 'invalid_grant'],
      ['two codes', { code: ['a', 'b'] }, 'invalid_request'],
      ['no code', { code: undefined }, 'invalid_request'],
      ['an unknown code', { code: 'unknown' }, 'invalid_grant'],
      ['a code with a NUL', { code: '\u0000' }, 'invalid_request'],
    ];
    for (const [name, form, error] of attempts) {
      await ledger.attempt(name, async () => {
        const answer = await stage.exchange(stage.web, await stage.code(stage.user, stage.web), form);
        const code = answer.json?.error;
        // A missing parameter may be reported as `invalid_grant` or as `invalid_request`.
        return error === 'invalid_grant' && code === 'invalid_request' ? fails(answer, code) : fails(answer, error);
      });
    }
    await ledger.attempt('by another client, which ends nothing', async () => {
      const code = await stage.code(stage.user, stage.web);
      const stolen = fails(await stage.exchange(stage.other, code), 'invalid_grant');
      const withUri = fails(await stage.exchange(stage.other, code, { redirect_uri: CALLBACK }), 'invalid_grant');
      const { status } = await stage.exchange(stage.web, code);
      return stolen ?? withUri ?? (status === 200 ? undefined : `its own client got ${status}`);
    });
    await ledger.attempt('by a public client', async () => {
      const code = await stage.code(stage.user, stage.web);
      return fails(await stage.exchange(stage.spa, code, { redirect_uri: CALLBACK }), 'invalid_grant');
    });
    await ledger.attempt('after 61 seconds', async () => {
      const code = await stage.code(stage.user, stage.web);
      stage.app.clock.advance(61);
      return fails(await stage.exchange(stage.web, code), 'invalid_grant');
    });
    await ledger.attempt('by GET', async () => {
      const code = await stage.code(stage.user, stage.web);
      const path = `/oauth/token?grant_type=authorization_code&code=${code}`;
      const { status } = await stage.ask(undefined, path);
      return status === 404 || status === 405 ? undefined : `answered ${status}`;
    });
  });

  cases('a client that does not authenticate correctly gets no token', async (ledger) => {
    const { client_id, secret, id } = stage.web;
    const attempts: readonly [string, Params, string | null][] = [
      ['without a secret', { client_id }, null],
      ['with an empty secret', { client_id, client_secret: '' }, null],
      ['with a wrong secret', {}, basic(client_id, 'wrong')],
      ['with a wrong secret in the form', { client_id, client_secret: 'wrong' }, null],
      ['with the secret of another application', {}, basic(client_id, stage.other.secret)],
      ['with the secret in upper case', {}, basic(client_id, secret.toUpperCase())],
      ['with a part of the secret', {}, basic(client_id, secret.slice(0, -1))],
      ['with the id instead of the client_id', {}, basic(id, secret)],
      ['as a public client, whose id it has', { client_id }, basic('', '')],
      ['with an unknown client_id', {}, basic('app_unknown', secret)],
      ['without any client', {}, null],
    ];
    const unspent = await stage.code(stage.user, stage.web);
    for (const [name, form, authorization] of attempts) {
      await ledger.attempt(name, async () =>
        fails(await stage.exchange(stage.web, unspent, form, authorization), 'invalid_client', 401),
      );
    }
    await ledger.attempt('with the secret in the header and in the form', async () =>
      fails(await stage.exchange(stage.web, unspent, { client_id, client_secret: secret }), 'invalid_request'),
    );
    await ledger.attempt('these requests have not consumed the code', async () => {
      const { status } = await stage.exchange(stage.web, unspent);
      return status === 200 ? undefined : `answered ${status}`;
    });
    await ledger.attempt('with a deleted secret', async () => {
      const client = await stage.register({ kind: 'web', redirect_uris: [CALLBACK] });
      const { json } = await stage.admin.get(`/admin/applications/${client.id}`);
      await stage.admin.delete(`/admin/applications/${client.id}/secrets/${json.secrets[0].id}`);
      return fails(await stage.exchange(client, await stage.code(stage.user, client)), 'invalid_client', 401);
    });
    await ledger.attempt('with an expired secret', async () => {
      const client = await stage.register({ kind: 'web', redirect_uris: [CALLBACK] });
      const expires_at = new Date(stage.app.clock.now().getTime() + 60_000).toISOString();
      const { json } = await stage.admin.post(`/admin/applications/${client.id}/secrets`, { expires_at });
      const code = await stage.code(stage.user, client);
      stage.app.clock.advance(61);
      const short = { ...client, secret: json.secret as string };
      return fails(await stage.exchange(short, code), 'invalid_client', 401);
    });
    await ledger.attempt('a public client with a secret', async () => {
      const code = await stage.code(stage.user, stage.spa);
      const answer = await stage.exchange(stage.spa, code, {}, basic(stage.spa.client_id, 'secret'));
      return answer.status === 200 ? 'answered 200' : undefined;
    });
    const grants: readonly [string, string][] = [
      ['password', 'unsupported_grant_type'],
      ['implicit', 'unsupported_grant_type'],
      ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'unsupported_grant_type'],
      ['urn:ietf:params:oauth:grant-type:token-exchange', 'unsupported_grant_type'],
      ['client_credentials', 'unauthorized_client'],
    ];
    for (const [grant_type, error] of grants) {
      await ledger.attempt(`with grant_type ${grant_type}`, async () =>
        fails(await stage.token(stage.web, { grant_type, username: 'a', password: 'b', assertion: 'c' }), error),
      );
    }
    await ledger.attempt('with a JSON body', async () => {
      const { status } = await stage.ask(undefined, '/oauth/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: basic(client_id, secret) },
      });
      return status === 400 || status === 415 ? undefined : `answered ${status}`;
    });
  });

  cases('a code that its client uses again ends everything issued from it', async (ledger) => {
    await ledger.attempt('twice', async () => {
      const code = await stage.code(stage.user, stage.web, { scope: FULL_SCOPE });
      const first = (await stage.exchange(stage.web, code)).json as Tokens;
      const fault = fails(await stage.exchange(stage.web, code), 'invalid_grant');
      if (fault) return fault;
      if (await stage.introspect(stage.web, first.access_token)) return 'the access token is active';
      if ((await userinfo(first.access_token)).status !== 401) return 'userinfo accepts the access token';
      const audited = await auditOf(stage.app, { action: 'oauth.code.reused' });
      return (
        fails(await refresh(stage.web, first), 'invalid_grant') ?? (audited.length > 0 ? undefined : 'no audit row')
      );
    });
    await ledger.attempt('many times at once', async () => {
      const code = await stage.code(stage.user, stage.web, { scope: FULL_SCOPE });
      const answers = await Promise.all(Array.from({ length: rounds(10, 50) }, () => stage.exchange(stage.web, code)));
      const good = answers.filter(({ status }) => status === 200);
      if (good.length > 1) return `${good.length} exchanges were accepted`;
      const tokens = good[0]?.json as Tokens | undefined;
      return tokens && (await stage.introspect(stage.web, tokens.access_token)) ? 'the token is active' : undefined;
    });
  });
});

describe('refresh tokens', () => {
  cases('a refresh token is accepted only from its client, and for no more than was granted', async (ledger) => {
    await ledger.attempt('by another client, which ends nothing', async () => {
      const tokens = await stage.tokens(stage.user, stage.web);
      const fault = fails(await refresh(stage.other, tokens), 'invalid_grant');
      return fault ?? ((await refresh(stage.web, tokens)).status === 200 ? undefined : 'its own client is rejected');
    });
    await ledger.attempt('of a public client by another public client', async () => {
      const tokens = await stage.tokens(stage.user, stage.spa);
      return fails(await refresh(stage.native, tokens), 'invalid_grant');
    });
    await ledger.attempt('for more scopes', async () => {
      const tokens = await stage.tokens(stage.user, stage.web);
      return fails(await refresh(stage.web, tokens, { scope: `${FULL_SCOPE} profile` }), 'invalid_scope');
    });
    await ledger.attempt('for another resource', async () => {
      const tokens = await stage.tokens(stage.user, stage.web, { resource: RESOURCE });
      return fails(await refresh(stage.web, tokens, { resource: 'https://evil.example/' }), 'invalid_target');
    });
    await ledger.attempt('for a resource, after a grant without one', async () => {
      const tokens = await stage.tokens(stage.user, stage.web);
      return fails(await refresh(stage.web, tokens, { resource: RESOURCE }), 'invalid_target');
    });
    await ledger.attempt('without offline_access there is none', async () => {
      const answer = await stage.exchange(stage.web, await stage.code(stage.user, stage.web));
      return 'refresh_token' in answer.json ? 'there is one' : undefined;
    });
    const strange: readonly [string, (tokens: Tokens) => string | undefined][] = [
      ['none', () => undefined],
      ['an empty one', () => ''],
      ['an unknown one', () => 'unknown'],
      ['the access token', ({ access_token }) => access_token],
      ['the ID token', ({ id_token }) => id_token],
      ['the access token of the service', () => stage.user.access_token],
      ['a part of the refresh token', ({ refresh_token }) => refresh_token.slice(0, -2)],
    ];
    const genuine = await stage.tokens(stage.user, stage.web);
    for (const [name, of] of strange) {
      await ledger.attempt(`as refresh token: ${name}`, async () => {
        const answer = await stage.token(stage.web, { grant_type: 'refresh_token', refresh_token: of(genuine) });
        return ['invalid_grant', 'invalid_request'].includes(answer.json?.error) ? undefined : answer.text;
      });
    }
    await ledger.attempt('a used refresh token ends the grant', async () => {
      const first = await stage.tokens(stage.user, stage.web);
      const second = (await refresh(stage.web, first)).json as Tokens;
      const third = (await refresh(stage.web, second)).json as Tokens;
      stage.app.clock.advance(60);
      const fault = fails(await refresh(stage.web, first), 'invalid_grant');
      return fault ?? fails(await refresh(stage.web, third), 'invalid_grant');
    });
  });

  cases('tokens and codes are rejected once the session, consent or account they depend on ends', async (ledger) => {
    const endings: readonly [string, (user: TestUser, client: Registered) => Promise<unknown>][] = [
      ['consent', (user, client) => user.browser.delete(`/users/me/applications/${client.id}`)],
      ['application', (_user, client) => stage.admin.delete(`/admin/applications/${client.id}`)],
      [
        'application, disabled and enabled',
        async (_user, client) => {
          await stage.admin.patch(`/admin/applications/${client.id}`, { enabled: false });
          await stage.admin.patch(`/admin/applications/${client.id}`, { enabled: true });
        },
      ],
      ['end of all sessions', (user) => user.browser.delete('/auth/sessions?include_current=true')],
      [
        'end of all sessions by an administrator',
        (user) => stage.admin.delete(`/admin/users/${user.user_id}/sessions`),
      ],
      ['account', (user) => stage.admin.patch(`/admin/users/${user.user_id}`, { status: 'disabled' })],
      ['organization', (user) => stage.admin.patch(`/admin/orgs/${user.organization_id}`, { suspended: true })],
      [
        'membership',
        async (user) => {
          const owner = await colleague(stage.app, user, 'owner');
          return owner.browser.delete(`/orgs/${user.organization_id}/members/${user.user_id}`);
        },
      ],
    ];
    for (const [name, end] of endings) {
      await ledger.attempt(name, async () => {
        const user = await founder(stage.app);
        const client = await stage.register({ kind: 'web', redirect_uris: [CALLBACK], resources: [RESOURCE] });
        const tokens = await stage.tokens(user, client);
        const unspent = await stage.code(user, client);
        await end(user, client);
        if ((await userinfo(tokens.access_token)).status !== 401) return 'userinfo accepts the access token';
        const { status } = await refresh(client, tokens);
        if (status === 200) return 'the refresh token is accepted';
        if ((await stage.exchange(client, unspent)).status === 200) return 'a code is accepted';
        const published = await revocationsOf(stage.app, claimsOf(tokens.access_token).sid);
        return published.length > 0 ? undefined : 'the feed does not name the grant';
      });
    }
    await ledger.attempt('session, without offline_access', async () => {
      const user = await founder(stage.app);
      const code = await stage.code(user, stage.web);
      const unspent = await stage.code(user, stage.web);
      const { access_token } = (await stage.exchange(stage.web, code)).json as Tokens;
      await user.browser.post('/auth/logout');
      if ((await userinfo(access_token)).status !== 401) return 'userinfo accepts the access token';
      return fails(await stage.exchange(stage.web, unspent), 'invalid_grant');
    });
    await ledger.attempt('a suspended organization, at the token endpoint', async () => {
      const user = await founder(stage.app);
      const code = await stage.code(user, stage.web);
      await suspendOrganization(stage.app, user.organization_id);
      return fails(await stage.exchange(stage.web, code), 'invalid_grant');
    });
  });
});

describe('token confusion', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  cases('a token is accepted only at the endpoint it was issued for, and only unchanged', async (ledger) => {
    const tokens = await stage.tokens(stage.user, stage.web);
    const ofResource = await stage.tokens(stage.user, stage.web, { resource: RESOURCE });
    const other = await founder(stage.app);
    const plain = await stage.tokens(stage.user, stage.web, { scope: 'email offline_access' });
    const [head, body, signature] = tokens.access_token.split('.') as [string, string, string];
    const header = JSON.parse(Buffer.from(head, 'base64url').toString());
    const claims = claimsOf(tokens.access_token);
    const { keys } = (await stage.ask(undefined, '/oauth/jwks.json')).json;
    const pem = createPublicKey({ key: keys[0], format: 'jwk' }).export({ format: 'pem', type: 'spki' });
    const unsigned = `${encode({ ...header, alg: 'HS256' })}.${body}`;
    const hmac = createHmac('sha256', pem).update(unsigned).digest('base64url');
    const atUserinfo: readonly [string, string][] = [
      ['an ID token', tokens.id_token],
      ['the access token of the service', stage.user.access_token],
      ['an access token for a resource', ofResource.access_token],
      ['an access token without openid', plain.access_token],
      ['a refresh token', tokens.refresh_token],
      ['alg none', `${encode({ ...header, alg: 'none' })}.${body}.`],
      ['alg HS256 with the public key', `${unsigned}.${hmac}`],
      ['another subject', `${head}.${encode({ ...claims, sub: other.user_id })}.${signature}`],
      ['an unknown key id', `${encode({ ...header, kid: 'x' })}.${body}.${signature}`],
      ['without a signature', `${head}.${body}.`],
      ['an empty token', ''],
      ['two tokens', `${tokens.access_token}, ${tokens.access_token}`],
    ];
    for (const [name, token] of atUserinfo) {
      await ledger.attempt(`at userinfo: ${name}`, async () => {
        const { status, text } = await userinfo(token);
        return (status === 401 || status === 403) && !text.includes(stage.user.email)
          ? undefined
          : `answered ${status}`;
      });
    }
    await ledger.attempt('at userinfo: in the query', async () => {
      const { status } = await stage.ask(undefined, `/oauth/userinfo?access_token=${tokens.access_token}`);
      return status === 401 || status === 400 ? undefined : `answered ${status}`;
    });
    await ledger.attempt('at userinfo: the cookies of the user', async () => {
      const { status } = await stage.ask(stage.user.browser, '/oauth/userinfo');
      return status === 401 ? undefined : `answered ${status}`;
    });
    for (const [name, token] of Object.entries({ ...tokens, of_resource: ofResource.access_token })) {
      if (typeof token !== 'string' || token.length < 20) continue;
      for (const path of ['/auth/session', '/users/me', '/admin/users']) {
        await ledger.attempt(`at ${path} of the service: ${name}`, async () => {
          const { status } = await createBrowser(stage.app).get(path, bearer(token));
          return status === 401 ? undefined : `answered ${status}`;
        });
      }
      await ledger.attempt(`as a cookie of the service: ${name}`, async () => {
        const browser = createBrowser(stage.app, new Map([['service_at', token]]));
        const { status } = await browser.get('/auth/session');
        return status === 401 ? undefined : `answered ${status}`;
      });
    }
  });

  it('no token of the provider has the type of an access token of the service', async () => {
    const tokens = await stage.tokens(stage.user, stage.web);
    for (const token of [tokens.access_token, tokens.id_token]) expect(claimsOf(token).typ).toBeUndefined();
    const head = JSON.parse(Buffer.from(tokens.access_token.split('.')[0]!, 'base64url').toString());
    expect(head).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
  });

  cases('a client can introspect and revoke only its own tokens', async (ledger) => {
    const form = (path: string, client: Registered | undefined, params: Params) =>
      stage.ask(undefined, path, {
        method: 'POST',
        form: params,
        headers: client ? { authorization: basic(client.client_id, client.secret) } : {},
      });
    const tokens = await stage.tokens(stage.user, stage.web);
    for (const [name, token] of Object.entries({
      'an access token of another client': tokens.access_token,
      'a refresh token of another client': tokens.refresh_token,
      'an access token of the service': stage.user.access_token,
      'an unknown token': 'unknown',
      'an ID token': tokens.id_token,
    })) {
      await ledger.attempt(`introspection of ${name} says only inactive`, async () => {
        const { status, json } = await form('/oauth/introspect', stage.other, { token });
        return status === 200 && JSON.stringify(json) === '{"active":false}'
          ? undefined
          : `answered ${JSON.stringify(json)}`;
      });
    }
    for (const path of ['/oauth/introspect', '/oauth/revoke']) {
      await ledger.attempt(`${path} without a client`, async () =>
        fails(await form(path, undefined, { token: tokens.access_token }), 'invalid_client', 401),
      );
      await ledger.attempt(`${path} with a wrong secret`, async () =>
        fails(
          await form(path, { ...stage.web, secret: 'wrong' }, { token: tokens.access_token }),
          'invalid_client',
          401,
        ),
      );
      await ledger.attempt(`${path} with the id of a confidential client alone`, async () => {
        const { client_id } = stage.web;
        return fails(await form(path, undefined, { token: tokens.access_token, client_id }), 'invalid_client', 401);
      });
      await ledger.attempt(`${path} without a token`, async () =>
        fails(await form(path, stage.web, {}), 'invalid_request'),
      );
    }
    for (const [name, token] of Object.entries(tokens).filter(([name]) => /^(access|refresh)_token$/.test(name))) {
      await ledger.attempt(`revocation of the ${name} of another client ends nothing`, async () => {
        const { status } = await form('/oauth/revoke', stage.other, { token: String(token) });
        const isActive = await stage.introspect(stage.web, tokens.access_token);
        return status === 200 && isActive ? undefined : `answered ${status}, active: ${isActive}`;
      });
    }
    await ledger.attempt('revocation of an unknown token', async () => {
      const { status } = await form('/oauth/revoke', stage.web, { token: 'unknown' });
      return status === 200 ? undefined : `answered ${status}`;
    });
    await ledger.attempt('revocation of the access token ends the refresh token', async () => {
      await form('/oauth/revoke', stage.web, { token: tokens.access_token });
      return fails(await refresh(stage.web, tokens), 'invalid_grant');
    });
  });

  it('the metadata promise the issuer in responses, PKCE with S256, and no flow but the code flow', async () => {
    const documents = ['/oauth/.well-known/openid-configuration', '/.well-known/oauth-authorization-server/oauth'];
    for (const path of documents) {
      const { json } = await stage.ask(undefined, path);
      expect(json).toMatchObject({
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
      });
      expect(json).not.toHaveProperty('end_session_endpoint');
      expect(json).not.toHaveProperty('device_authorization_endpoint');
      expect(json).not.toHaveProperty('registration_endpoint');
    }
  });

  it('userinfo rejects an access token after 15 minutes', async () => {
    const { access_token } = await stage.tokens(stage.user, stage.web);
    expect((await userinfo(access_token)).status).toBe(200);
    stage.app.clock.advance(901);
    expect((await userinfo(access_token)).status).toBe(401);
  });
});
