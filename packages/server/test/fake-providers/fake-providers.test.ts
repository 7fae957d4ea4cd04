import { createHmac } from 'node:crypto';
import { OAUTH_PROVIDERS, type OAuthProvider } from '@gatehouse/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { publicEmail, secondaryEmail } from './github.ts';
import { startFakeProvider } from './provider.ts';
import {
  addressOf,
  begin,
  clientSecret,
  consent,
  get,
  type Json,
  NOW,
  OIDC,
  post,
  random,
  verified,
} from './right-client.ts';
import type { FakeProvider, TokenFault } from './types.ts';

const started: FakeProvider[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((fake) => fake.close()));
});

async function start(provider: OAuthProvider): Promise<FakeProvider> {
  const fake = await startFakeProvider(provider, { now: () => NOW });
  started.push(fake);
  return fake;
}

describe('a correct client', () => {
  it.each(OIDC)('%s: a correct client gets an id_token that verifies', async (provider) => {
    const fake = await start(provider);
    const { exchange, nonce, ...flow } = await consent(fake);
    expect(flow.callback_url.split('?')[0]).toBe(flow.redirect_uri);
    expect(flow.fields.state).toBe(flow.state);
    const { status, json } = await post(fake, exchange);
    expect(status).toBe(200);
    const claims = await verified(fake, json.id_token);
    const iat = NOW.getTime() / 1000;
    expect(claims).toMatchObject({ aud: exchange.client_id, sub: fake.person.subject, nonce, iat, exp: iat + 3600 });
    expect(claims.iss).toBe(addressOf(fake, 'ISSUER').replace('{tenantid}', fake.person.tenant!));
    expect(claims.email).toBe(fake.person.email);
    const expected: Partial<Record<OAuthProvider, unknown>> = { oauth_c: undefined, oauth_d: 'true' };
    expect(claims.email_verified).toBe(provider in expected ? expected[provider] : true);
    fake.rotateKeys();
    expect(await verified(fake, json.id_token)).toBeUndefined();
  });

  it('GitHub: a correct client reads the profile and the email addresses', async () => {
    const fake = await start('oauth_b');
    const { json } = await post(fake, (await consent(fake)).exchange);
    const userinfo = addressOf(fake, 'USERINFO_URL');
    const { subject, email } = fake.person;
    expect(await get(userinfo, json.access_token)).toMatchObject({ id: Number(subject), email: publicEmail(subject) });
    expect(await get(`${userinfo}/emails`, json.access_token)).toMatchObject([
      { email: secondaryEmail(subject), primary: false, verified: true },
      { email, primary: true, verified: true },
    ]);
    expect((await fetch(userinfo)).status).toBe(401);
  });

  it('Facebook: a correct client reads the profile with an appsecret_proof', async () => {
    const fake = await start('oauth_e');
    const { access_token } = (await post(fake, (await consent(fake)).exchange)).json;
    const proof = createHmac('sha256', fake.settings.secret).update(access_token).digest('hex');
    const url = `${addressOf(fake, 'USERINFO_URL')}?fields=id,name,email`;
    const { subject: id, name, email } = fake.person;
    expect(await get(`${url}&appsecret_proof=${proof}`, access_token)).toEqual({ id, name, email });
    expect((await get(url, access_token)).error.type).toBe('OAuthException');
  });

  it('Apple: a correct client gets the name only once', async () => {
    const fake = await start('oauth_d');
    const { user } = (await consent(fake)).fields;
    expect(JSON.parse(user!)).toEqual({ name: { firstName: 'Robin', lastName: 'Example' }, email: fake.person.email });
    expect((await consent(fake)).fields.user).toBeUndefined();
  });

  it.each(OAUTH_PROVIDERS)(
    '%s: a correct client may authenticate with Basic, and is informed if the user denies access',
    async (provider) => {
      const fake = await start(provider);
      const { exchange, url } = await consent(fake);
      const { client_id, client_secret, ...form } = exchange;
      const basic = Buffer.from(`${client_id}:${encodeURIComponent(client_secret)}`).toString('base64');
      const { json } = await post(fake, form, { authorization: `Basic ${basic}` });
      expect(json.access_token).toMatch(/^access-/);
      const { callback_url, form: denied } = await fake.authorize(url, { deny: true });
      expect(denied?.error ?? callback_url).toMatch(/access_denied|user_cancelled_authorize/);
    },
  );

  it.each(OAUTH_PROVIDERS)('%s: a browser is redirected to the callback at once', async (provider) => {
    const response = await fetch(begin(await start(provider)).url, { redirect: 'manual' });
    expect(response.headers.get('location') ?? (await response.text())).toMatch(/code-[0-9a-f]{32}/);
  });
});

describe('an incorrect client', () => {
  it.each(OAUTH_PROVIDERS)('%s: an incorrect client gets an error that quotes its request', async (provider) => {
    const fake = await start(provider);
    const refused = async (changes: Record<string, string>) => {
      const form = { ...(await consent(fake)).exchange, ...changes };
      const { status, json } = await post(fake, form);
      expect(status === 200).toBe(provider === 'oauth_b');
      expect(json.access_token).toBeUndefined();
      expect(JSON.stringify(json)).toContain(form.code);
      return json.error.code ?? json.error;
    };
    const [client, grant] = { oauth_b: ['incorrect_client_credentials', 'bad_verification_code'], oauth_e: [1, 100] }[
      provider as string
    ] ?? ['invalid_client', 'invalid_grant'];
    expect(await refused({ client_secret: 'wrong' })).toBe(client);
    expect(await refused({ client_id: 'wrong' })).toBe(client);
    expect(await refused({ code_verifier: random() })).toBe(grant);
    expect(await refused({ redirect_uri: 'https://id.example.com/elsewhere' })).toBe(grant);
    expect(await refused({ code: 'code-unknown' })).toBe(grant);
    const { exchange } = await consent(fake);
    expect((await post(fake, exchange)).json.access_token).toBeDefined();
    expect(await refused({ code: exchange.code })).toBe(grant);
  });

  it.each([
    ['of another team', { iss: 'ANOTHER' }],
    ['of another client', { sub: 'another' }],
    ['for another provider', { aud: 'https://appleid.apple.com' }],
    ['that has expired', { iat: 1_000, exp: 1_300 }],
    ['that is valid for too long', { exp: NOW.getTime() / 1000 + 601 }],
  ])('Apple: a client secret %s is refused', async (_what, changes) => {
    const fake = await start('oauth_d');
    const { exchange } = await consent(fake);
    const client_secret = clientSecret(fake, changes);
    expect((await post(fake, { ...exchange, client_secret })).json.error).toBe('invalid_client');
  });

  it.each(OAUTH_PROVIDERS)(
    '%s: an incorrect client gets an error that names what is wrong with its URL',
    async (provider) => {
      const fake = await start(provider);
      const wrong = {
        response_type: 'token',
        client_id: 'another',
        redirect_uri: '/callback',
        state: 'short',
        code_challenge_method: 'plain',
        code_challenge: 'short',
        scope: 'everything',
        response_mode: 'fragment',
      };
      for (const name of Object.keys(wrong) as (keyof typeof wrong)[]) {
        await expect(fake.authorize(begin(fake, { [name]: wrong[name] }).url)).rejects.toThrow(`- ${name} is "`);
      }
      if (OIDC.includes(provider)) {
        await expect(fake.authorize(begin(fake, { nonce: '' }).url)).rejects.toThrow('nonce');
      }
    },
  );
});

describe('faults', () => {
  it('can be set for the id_token: wrong claims, invalid signatures', async () => {
    const fake = await start('oauth_c');
    const tokenWith = async (fault: TokenFault | undefined) => {
      fake.token_fault = fault;
      return (await post(fake, (await consent(fake)).exchange)).json.id_token;
    };
    for (const fault of ['foreign_key', 'unknown_kid', 'none', 'hs256', 'tampered'] as const) {
      expect(await verified(fake, await tokenWith(fault)), fault).toBeUndefined();
    }
    const time = NOW.getTime() / 1000;
    const lies: [TokenFault, object][] = [
      ['nonce', { nonce: 'the-nonce-of-somebody-else' }],
      ['audience', { aud: 'another-client' }],
      ['two_audiences', { aud: ['oauth_c-client', 'another-client'] }],
      ['issuer', { iss: expect.not.stringContaining(fake.person.tenant!), tid: fake.person.tenant }],
      ['expired', { exp: time - 3600 }],
      ['not_yet', { nbf: time + 3600 }],
    ];
    for (const [fault, lie] of lies) expect(await verified(fake, await tokenWith(fault)), fault).toMatchObject(lie);
    expect(await verified(fake, await tokenWith('no_nonce'))).not.toHaveProperty('nonce');
    expect(await verified(fake, await tokenWith('no_subject'))).not.toHaveProperty('sub');
    expect(await tokenWith('missing')).toBeUndefined();
    expect(await tokenWith('garbage')).toBe('this is.no.token');
    fake.claims = { email: undefined, xms_edov: true };
    const claims = await verified(fake, await tokenWith(undefined));
    expect(claims).toMatchObject({ xms_edov: true, tid: fake.person.tenant });
    expect(claims).not.toHaveProperty('email');
  });

  it('can be set for an endpoint: huge, redirected, malformed, reset, failing and hanging responses', async () => {
    const fake = await start('oauth_a');
    const fetchKeys = (redirect: 'manual' | 'follow' = 'manual') => fetch(addressOf(fake, 'JWKS_URL'), { redirect });
    fake.fault = { at: 'jwks', how: 'huge' };
    const huge = await (await fetchKeys()).text();
    expect(huge.length).toBeGreaterThan(1024 * 1024);
    expect(JSON.parse(huge).keys).toHaveLength(1);
    fake.fault = { at: 'jwks', how: 'redirect' };
    expect((await fetchKeys()).status).toBe(302);
    expect(((await (await fetchKeys('follow')).json()) as Json).keys).toHaveLength(1);
    expect(fake.requests.at(-1)?.path).toMatch(/^\/moved\//);
    fake.fault = { at: 'jwks', how: 'broken_json' };
    await expect((await fetchKeys()).json()).rejects.toThrow('RSA');
    fake.fault = { at: 'jwks', how: 'not_object' };
    expect(await (await fetchKeys()).json()).toBeNull();
    fake.fault = { at: 'jwks', how: 'reset' };
    await expect(fetchKeys()).rejects.toThrow('fetch failed');
    fake.fault = { at: 'jwks', how: 429 };
    expect((await fetchKeys()).status).toBe(429);
    fake.fault = { at: 'token', how: 'redirect' };
    const { exchange } = await consent(fake);
    // A client that follows the redirect gets a token, and its request is recorded.
    expect((await post(fake, exchange)).json.access_token).toBeDefined();
    fake.fault = { at: 'token', how: 'error' };
    expect((await post(fake, exchange)).json.error_description).toContain(exchange.client_secret);
    fake.fault = { at: 'token', how: 'hang' };
    const before = fake.requests.length;
    const waiting = expect(post(fake, exchange)).rejects.toThrow('fetch failed');
    await expect.poll(() => fake.requests.length).toBe(before + 1);
    await fake.close();
    await waiting;
  });
});
