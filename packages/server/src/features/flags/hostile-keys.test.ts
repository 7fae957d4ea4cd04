import { beforeAll, describe, expect, it } from 'vitest';
import { createBrowser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { createFlagAdmin, type FlagAdmin, rowsIn } from './flags-fixture.ts';

/** Names of object properties, names that a framework reads, and names that must be escaped. */
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'pipe',
  'getReader',
  'statusCode',
  'buffer',
  'length',
  '0',
  'error',
  '"',
  '\\',
  '<script>',
  '</script>',
  '`',
  "'",
  'x'.repeat(120),
];

const app = useTestApp();
let admin: FlagAdmin;
let url: string;
beforeAll(async () => {
  admin = await createFlagAdmin(app);
  url = await app.server.listen({ host: '127.0.0.1', port: 0 });
});

const overHttp = () => {
  const browser = createBrowser(url);
  const ask = { headers: { authorization: `Bearer ${admin.access_token}` }, cookies: false };
  return {
    put: (body: unknown) => browser.send('PUT', '/admin/feature-flags', { ...ask, body }),
    get: (path: string) => browser.get(path, ask),
    remove: (key: string) => browser.delete(`/admin/feature-flags/${encodeURIComponent(key)}`, ask),
  };
};

describe('flag keys with a special meaning', () => {
  it('are stored and returned like any other key', async () => {
    const http = overHttp();
    for (const [index, key] of KEYS.entries()) {
      const answer = await http.put(`{"flag_key":${JSON.stringify(key)},"enabled":true,"value":{"index":${index}}}`);
      expect([answer.status, answer.json.flag_key, answer.json.value]).toEqual([200, key, { index }]);
    }
    expect((await rowsIn(app)).map(({ flag_key }) => flag_key).sort()).toEqual([...KEYS].sort());

    const { text, json } = await http.get('/feature-flags');
    expect(Object.keys(json).sort()).toEqual([...KEYS].sort());
    for (const [index, key] of KEYS.entries()) {
      expect(text).toContain(`${JSON.stringify(key)}:{"enabled":true,"value":{"index":${index}}}`);
      expect(Object.getOwnPropertyDescriptor(json, key)?.value).toEqual({ enabled: true, value: { index } });
    }
    const listed = (await http.get('/admin/feature-flags')).json as { flag_key: string }[];
    expect(listed.map(({ flag_key }) => flag_key)).toEqual([...KEYS].sort());

    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { enabled?: boolean }).enabled).toBeUndefined();
    for (const key of KEYS) expect((await http.remove(key)).status, key).toBe(204);
    expect((await http.get('/feature-flags')).text).toBe('{}');
  });

  it('names with a special meaning are ignored as fields of the request body', async () => {
    const http = overHttp();
    const bad = await http.put('{"__proto__":{"flag_key":"x","enabled":true},"constructor":1}');
    expect(bad).toMatchObject({
      status: 400,
      json: { error: { message: 'flag_key: is required; enabled: is required' } },
    });
    const good = await http.put('{"__proto__":{"organization_id":"x"},"flag_key":"x","enabled":false,"toString":1}');
    expect(good.json).toEqual({ flag_key: 'x', organization_id: null, enabled: false, value: null });
  });
});
