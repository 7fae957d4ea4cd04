import { describe, expect, it } from 'vitest';
import { insertSession, useTestApp } from '../../../test/harness.ts';
import { revokeAnySessions } from '../../domain/sessions/queries.ts';
import { after } from '../../platform/clock.ts';
import { transact } from '../../platform/db/transact.ts';

const app = useTestApp();

const get = (url: string, headers = {}) => app.server.inject({ url, headers });

describe('§4.1 discovery', () => {
  it.each(['/.well-known/jwks.json', '/.well-known/openid-configuration', '/.well-known/service-revocations.json'])(
    '%s has an ETag and returns 304 when it matches',
    async (url) => {
      const response = await get(url);
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      const tag = response.headers.etag as string;
      const again = await get(url, { 'if-none-match': `"other", ${tag}` });
      expect(again.statusCode).toBe(304);
      expect(again.body).toBe('');
      expect((await get(url, { 'if-none-match': '"other"' })).statusCode).toBe(200);
    },
  );

  it('the key set contains only public parts', async () => {
    const { keys } = (await get('/.well-known/jwks.json')).json();
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('the discovery document names only endpoints that exist', async () => {
    const document = (await get('/.well-known/openid-configuration')).json();
    expect(document).toMatchObject({
      issuer: 'http://localhost:8080',
      response_types_supported: [],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: expect.arrayContaining(['sub', 'email', 'email_verified']),
    });
    for (const key of ['jwks_uri', 'revocation_feed_uri']) {
      const { pathname } = new URL(document[key]);
      expect((await get(pathname)).statusCode).toBe(200);
    }
    expect(document).not.toHaveProperty('authorization_endpoint');
  });
});

describe('§6 the revocation feed', () => {
  it('lists a revoked session until its last access token has expired', async () => {
    const url = '/.well-known/service-revocations.json';
    const feed = async () => {
      // The feed is read at most once a second of real time.
      await new Promise((resolve) => setTimeout(resolve, 1_050));
      return (await get(url)).json();
    };
    const { session_id } = await insertSession(app);
    expect((await get(url)).json()).toMatchObject({ max_staleness_seconds: 5, revocations: [] });
    const now = app.clock.now();
    await transact(app.deps.db, (tx) =>
      revokeAnySessions(tx, { now, began: { since: new Date(0), before: after(now, 1) }, limit: 10 }),
    );
    const { revocations } = await feed();
    expect(revocations).toEqual([
      {
        sid: session_id,
        revoked_at: now.toISOString(),
        expires_at: new Date(now.getTime() + 900_000).toISOString(),
      },
    ]);
    app.clock.advance(901);
    expect((await feed()).revocations).toEqual([]);
    await app.sweeper.pass();
    expect(await app.deps.db.selectFrom('revocations').selectAll().execute()).toEqual([]);
  });
});
