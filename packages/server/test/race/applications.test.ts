import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CALLBACK,
  codeFor,
  exchange,
  payloadOf,
  refresh,
  type TestClient,
  userinfo,
} from '../../src/features/oauth-server/provider-fixture.ts';
import { hashToken, randomToken } from '../../src/platform/crypto/tokens.ts';
import { registerUser, tally } from '../browser.ts';
import { NO_LIMITS } from '../no-limits.ts';
import { auditOf } from '../records.ts';
import { useReplicas } from '../replicas.ts';
import { ROUNDS } from './processes-fixture.ts';

// `npm run attack` repeats the tests, which would exceed the rate limits.
const replicas = useReplicas(2, NO_LIMITS);
const here = () => replicas.urls[0]!;
const db = () => replicas.database.db;

let client: TestClient;
beforeAll(async () => {
  const [id, secret, now] = [uuid(), randomToken(), new Date()];
  const row = {
    id,
    client_id: `app_${id}`,
    name: 'Wiki',
    kind: 'web',
    redirect_uris: [CALLBACK],
    scopes: SCOPES,
  } as const;
  const rest = { post_logout_redirect_uris: [], backchannel_logout_uri: null, resources: [], organization_id: null };
  const flags = { trusted: false, device_flow: false, enabled: true, created_at: now, deleted_at: null };
  await db()
    .insertInto('applications')
    .values({ ...row, redirect_uris: [CALLBACK], scopes: [...SCOPES], ...rest, ...flags })
    .execute();
  const stored = { id: uuid(), application_id: id, hash: hashToken(secret), created_at: now, expires_at: null };
  await db()
    .insertInto('application_secrets')
    .values({ ...stored, revoked_at: null })
    .execute();
  client = { application: { id } as TestClient['application'], client_id: row.client_id, secret };
});

const SCOPES = ['openid', 'offline_access'] as const;
const OFFLINE = { scope: 'openid offline_access' };

const grantOf = (access_token: string) =>
  db()
    .selectFrom('application_grants')
    .select(['ended_at', 'refresh_jti'])
    .where('id', '=', String(payloadOf(access_token).sid))
    .executeTakeFirstOrThrow();

describe('concurrent requests of applications', () => {
  it('of 20 exchanges of one code one succeeds, and the others revoke its tokens', async () => {
    const user = await registerUser(here());
    const code = await codeFor(user.browser, client, OFFLINE);
    const answers = await replicas.many(20, (url) => exchange(url, client, code));
    expect(tally(answers)).toEqual({ 200: 1, 400: 19 });
    const { access_token } = answers.find(({ status }) => status === 200)!.json;
    expect(await grantOf(access_token)).toEqual({ ended_at: expect.any(Date), refresh_jti: null });
    const resource_id = String(payloadOf(access_token).sid);
    const rows = await auditOf(replicas.database, { resource_id });
    expect(rows.map(({ action }) => action).sort()).toEqual(['oauth.code.reused', 'oauth.token.issued']);
    expect((await userinfo(here(), access_token)).status).toBe(401);
  });

  it('20 refreshes with one token: one succeeds, and its successor stays valid', async () => {
    const user = await registerUser(here());
    const { refresh_token } = (await exchange(here(), client, await codeFor(user.browser, client, OFFLINE))).json;
    const answers = await replicas.many(20, (url) => refresh(url, client, refresh_token));
    expect(tally(answers)).toEqual({ 200: 1, 400: 19 });
    const next = answers.find(({ status }) => status === 200)!.json.refresh_token;
    expect((await refresh(here(), client, next)).status).toBe(200);
  });

  it.each<[string, (user: Awaited<ReturnType<typeof registerUser>>) => Promise<{ status: number }>]>([
    ['the end of the session', (user) => user.browser.post('/auth/logout')],
    ['the end of all sessions', (user) => user.browser.delete('/auth/sessions?include_current=true')],
    ['the withdrawal of the consent', (user) => user.browser.delete(`/users/me/applications/${client.application.id}`)],
  ])('%s during an exchange: no active grant is left', async (_, end) => {
    for (let round = 0; round < ROUNDS; round++) {
      const user = await registerUser(here());
      const code = await codeFor(user.browser, client);
      const [issued, ended] = await Promise.all([exchange(replicas.either(round), client, code), end(user)]);
      expect([200, 400]).toContain(issued.status);
      expect(ended.status).toBe(204);
      const left = await db()
        .selectFrom('application_grants')
        .select('id')
        .where('user_id', '=', user.user_id)
        .where('ended_at', 'is', null)
        .execute();
      expect(left).toEqual([]);
      if (issued.status === 200) expect((await userinfo(here(), issued.json.access_token)).status).toBe(401);
    }
  });
});
