import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, bearer, createBrowser, registerUser, type TestUser, tally } from '../browser.ts';
import { useReplicas } from '../replicas.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';

const replicas = useReplicas();

let owner: TestUser;
let keys: string;
// `npm run attack` repeats the tests: each run has new keys.
beforeEach(async () => {
  owner = await registerUser(replicas.urls[0]!);
  const accounts = `/orgs/${owner.organization_id}/service-accounts`;
  keys = `${accounts}/${(await send(0, 'POST', accounts, { name: 'Import' })).json.id}/keys`;
});

const send = (index: number, method: string, path: string, body?: object): Promise<Answer> =>
  createBrowser(replicas.either(index)).send(method, path, { ...bearer(owner.access_token), ...(body && { body }) });

const living = async () => (await send(0, 'GET', keys)).json.items;
const statusOf = async (index: number, key: string) =>
  (await createBrowser(replicas.either(index)).get('/auth/session', bearer(key))).status;

describe('API keys on two servers', () => {
  it.each([0, 60])('one of 20 concurrent rotations of a key succeeds; overlap %i seconds', async (overlap_seconds) => {
    const { json } = await send(0, 'POST', keys, { name: 'Key' });
    const rotate = (_: unknown, index: number) => send(index, 'POST', `${keys}/${json.id}/rotate`, { overlap_seconds });
    const answers = await Promise.all(Array.from({ length: 20 }, rotate));
    expect(tally(answers)).toEqual({ 201: 1, 409: 19 });
    const { key, id } = answers.find(({ status }) => status === 201)!.json;
    expect([await statusOf(0, key), await statusOf(1, key)]).toEqual([200, 200]);
    expect((await living()).length).toBe(overlap_seconds === 0 ? 1 : 2);
    for (const one of [id, json.id]) await send(1, 'DELETE', `${keys}/${one}`);
  });

  it('of 15 concurrent requests to create a key ten succeed; an ended key is rejected at once by the server that ended it, then by the other', async () => {
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, index) => send(index, 'POST', keys, { name: 'Key' })),
    );
    expect(tally(answers)).toEqual({ 201: 10, 409: 5 });
    const { key, id } = answers.find(({ status }) => status === 201)!.json;
    expect([await statusOf(0, key), await statusOf(1, key)]).toEqual([200, 200]);
    await send(1, 'DELETE', `${keys}/${id}`);
    expect(await statusOf(1, key)).toBe(401);
    await expect.poll(() => statusOf(0, key), { timeout: INVALIDATED_WITHIN_MS }).toBe(401);
  });
});
