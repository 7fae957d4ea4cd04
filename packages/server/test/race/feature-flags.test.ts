import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, bearer, createBrowser, registerUser, type TestUser, tally } from '../browser.ts';
import { auditOf, setUser } from '../records.ts';
import { useReplicas } from '../replicas.ts';
import { INVALIDATED_WITHIN_MS } from '../timeouts.ts';

const replicas = useReplicas();
let admin: TestUser;
// A campaign repeats tests that count the audit rows of their actor, so each run has a new administrator.
beforeEach(async () => {
  await replicas.database.db.deleteFrom('feature_flags').execute();
  admin = await registerUser(here());
  // The role is set before any server has cached the user.
  await setUser(replicas.database, admin.user_id, { platform_role: 'admin' });
});

const here = () => replicas.urls[0]!;
const there = () => replicas.urls[1]!;
const asAdmin = () => bearer(admin.access_token);
const put = (url: string, body: object): Promise<Answer> =>
  createBrowser(url).send('PUT', '/admin/feature-flags', { ...asAdmin(), body });
const remove = (url: string, flag_key: string): Promise<Answer> =>
  createBrowser(url).delete(`/admin/feature-flags/${flag_key}`, asAdmin());
const rows = () =>
  replicas.database.db.selectFrom('feature_flags').select(['organization_id', 'enabled', 'value']).execute();
const flagsAt = async (url: string) => (await createBrowser(url).get('/feature-flags', asAdmin())).json;
const countAudited = async (flag_key: string, action: 'feature_flag.updated' | 'feature_flag.deleted') =>
  (await auditOf(replicas.database, { actor_id: admin.user_id, resource_id: flag_key, action })).length;

describe('§4.11 feature flags on two servers', () => {
  it.each(['default', 'override'])(
    '20 concurrent changes of one row leave one row, with the values of one request: %s',
    async (which) => {
      const organization_id = which === 'default' ? null : admin.organization_id;
      const answers = await replicas.many(20, (url, index) =>
        put(url, { flag_key: which, organization_id, enabled: index % 2 === 0, value: { index } }),
      );
      expect(tally(answers)).toEqual({ 200: 20 });
      for (const [index, { json }] of answers.entries()) {
        expect(json).toEqual({ flag_key: which, organization_id, enabled: index % 2 === 0, value: { index } });
      }
      const [row, ...rest] = await rows();
      expect(rest).toEqual([]);
      expect(row).toEqual({ organization_id, enabled: (row?.value?.index as number) % 2 === 0, value: row?.value });
      expect(await countAudited(which, 'feature_flag.updated')).toBe(20);
    },
  );

  it('20 concurrent requests with the same values write one audit row', async () => {
    const answers = await replicas.many(20, (url) => put(url, { flag_key: 'same', enabled: true, value: { a: 1 } }));
    expect(tally(answers)).toEqual({ 200: 20 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await rows()).toHaveLength(1);
    expect(await countAudited('same', 'feature_flag.updated')).toBe(1);
  });

  it('20 concurrent removals of one flag are all 204 and write one audit row', async () => {
    await put(here(), { flag_key: 'gone', enabled: true });
    expect(tally(await replicas.many(20, (url) => remove(url, 'gone')))).toEqual({ 204: 20 });
    expect(await countAudited('gone', 'feature_flag.deleted')).toBe(1);
  });

  it('concurrent changes and removals end in one state and are all audited', async () => {
    const answers = await replicas.many(30, (url, index) =>
      index % 3 === 0 ? remove(url, 'race') : put(url, { flag_key: 'race', enabled: index % 3 === 1 }),
    );
    for (const [index, { status }] of answers.entries()) expect(status).toBe(index % 3 === 0 ? 204 : 200);
    const trail = await auditOf(replicas.database, { resource_id: 'race' });
    const isDeletion = trail.map(({ action }) => action === 'feature_flag.deleted');
    // A removal without a row is not audited, so a deletion is never first and never follows another one.
    expect(isDeletion.filter((deletes, index) => deletes && isDeletion[index - 1] !== false)).toEqual([]);
    const left = await rows();
    expect(left).toHaveLength(trail.at(-1)?.action === 'feature_flag.deleted' ? 0 : 1);
    for (const url of replicas.urls) {
      await expect
        .poll(() => flagsAt(url), { timeout: INVALIDATED_WITHIN_MS })
        .toEqual(left[0] ? { race: { enabled: left[0].enabled, value: null } } : {});
    }
  });

  it('a change applies at once on its server, and within seconds on the other', async () => {
    const { organization_id } = admin;
    const agree = async (expected: object) => {
      expect(await flagsAt(here())).toEqual(expected);
      await expect.poll(() => flagsAt(there()), { timeout: INVALIDATED_WITHIN_MS }).toEqual(expected);
    };
    await put(here(), { flag_key: 'seen', enabled: true });
    await agree({ seen: { enabled: true, value: null } });
    await put(here(), { flag_key: 'seen', enabled: false, organization_id, value: { a: 1 } });
    await agree({ seen: { enabled: false, value: { a: 1 } } });
    await createBrowser(here()).delete(`/admin/feature-flags/seen?organization_id=${organization_id}`, asAdmin());
    await agree({ seen: { enabled: true, value: null } });
    await remove(here(), 'seen');
    await agree({});
  });
});
