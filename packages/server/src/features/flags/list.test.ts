import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { createFlagAdmin, type FlagAdmin } from './flags-fixture.ts';

const app = useTestApp();
let viewer: FlagAdmin;
let one: FlagAdmin;
let other: FlagAdmin;
beforeAll(async () => {
  const admin = await createFlagAdmin(app);
  viewer = await createFlagAdmin(app, 'viewer');
  one = await createFlagAdmin(app, null);
  other = await createFlagAdmin(app, null);
  const flags: [string, string?][] = [
    ['b', one.organization_id],
    ['b'],
    ['a-of-one', one.organization_id],
    ['a'],
    ['B'],
    ['a', other.organization_id],
    ['a', one.organization_id],
  ];
  for (const [flag_key, organization_id] of flags) await admin.put({ flag_key, organization_id, enabled: true });
});

const listed = async (organization_id?: string) => {
  const { json } = await viewer.list(organization_id);
  return json.map((flag: { flag_key: string; organization_id: string | null }) => [
    flag.flag_key,
    flag.organization_id,
  ]);
};

describe('§4.11 GET /admin/feature-flags', () => {
  it('the list is an array of flags as in §2.4', async () => {
    const { status, json } = await viewer.list();
    expect(status).toBe(200);
    expect(json[0]).toEqual({ flag_key: 'B', organization_id: null, enabled: true, value: null });
  });

  it('the list contains only the defaults, sorted by key', async () => {
    expect(await listed()).toEqual([
      ['B', null],
      ['a', null],
      ['b', null],
    ]);
  });

  it('the list for an organization also contains its overrides, each after the default, and no overrides of other organizations', async () => {
    const { organization_id } = one;
    const rows = [
      ['B', null],
      ['a', null],
      ['a', organization_id],
      ['a-of-one', organization_id],
      ['b', null],
      ['b', organization_id],
    ];
    expect(await listed(organization_id)).toEqual(rows);
    expect(await listed(organization_id.toUpperCase())).toEqual(rows);
  });

  it('the list for an unknown organization contains the defaults', async () => {
    expect(await listed(uuid())).toHaveLength(3);
  });

  it.each(['', 'mine', '%00', 'null'])('400 for organization_id %j', async (organization_id) => {
    const answer = await viewer.list(organization_id);
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_input', message: 'organization_id: must be a UUID' } },
    });
  });
});
