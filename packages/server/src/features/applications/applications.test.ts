import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import { declare } from '../roles/roles-fixture.ts';

const app = useTestApp();
let admin: Administrator;
beforeAll(async () => {
  admin = await insertAdministrator(app, 'admin', app.clock.now());
});

const WIKI = { name: 'Wiki', kind: 'web', redirect_uris: ['https://wiki.example.com/callback'] };
const create = (given: Record<string, unknown> = {}) => admin.post('/admin/applications', { ...WIKI, ...given });

describe('/admin/applications', () => {
  it('creates, reads, changes and deletes an application, each audited', async () => {
    const created = await create();
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      id: expect.any(String),
      client_id: expect.stringMatching(/^app_\w{24}$/),
      ...WIKI,
      post_logout_redirect_uris: [],
      backchannel_logout_uri: null,
      scopes: ['email', 'offline_access', 'openid', 'organization', 'profile'],
      resources: [],
      trusted: false,
      device_flow: false,
      organization_id: null,
      enabled: true,
      secrets: [],
      created_at: app.clock.now().toISOString(),
    });
    const path = `/admin/applications/${created.json.id}`;
    const changed = await admin.patch(path, { name: 'Docs', kind: 'spa', trusted: true });
    expect(changed.json).toEqual({ ...created.json, name: 'Docs', trusted: true });
    expect((await admin.get(path)).json).toEqual(changed.json);
    expect((await admin.get('/admin/applications')).json.items).toContainEqual(changed.json);
    expect([(await admin.delete(path)).status, (await admin.delete(path)).status]).toEqual([204, 204]);
    expect([(await admin.get(path)).status, (await admin.patch(path, { name: 'x' })).status]).toEqual([404, 404]);
    const rows = await auditOf(app, { resource_id: created.json.id });
    expect(rows.map(({ action }) => action)).toEqual([
      'oauth.client.created',
      'oauth.client.updated',
      'oauth.client.deleted',
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['http on another host', { redirect_uris: ['http://wiki.example.com/callback'] }],
    ['http on a name that begins like localhost', { redirect_uris: ['http://localhost.example.com/'] }],
    ['a fragment', { redirect_uris: ['https://wiki.example.com/#x'] }],
    ['a wildcard', { redirect_uris: ['https://*.example.com/'] }],
    ['a path that is not ASCII', { redirect_uris: ['https://wiki.example.com/ü'] }],
    ['a private-use URI that is not ASCII', { kind: 'native', redirect_uris: ['com.example.app:/ü'] }],
    ['a resource that is not ASCII', { resources: ['https://api.example.com/ü'] }],
    ['credentials', { redirect_uris: ['https://a:b@wiki.example.com/'] }],
    ['a relative URI', { redirect_uris: ['/callback'] }],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['a private-use scheme for a web application', { redirect_uris: ['com.example.app:/cb'] }],
    ['a private-use scheme without a dot', { kind: 'native', redirect_uris: ['myapp:/cb'] }],
    ['no redirect URI', { redirect_uris: [] }],
    ['21 redirect URIs', { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://wiki.example.com/${n}`) }],
    ['a wrong post-logout URI', { post_logout_redirect_uris: ['http://wiki.example.com/'] }],
    ['a back-channel URI that is not http', { backchannel_logout_uri: 'ftp://wiki.example.com/' }],
    ['a resource that is not absolute', { resources: ['api'] }],
    ['an unknown scope', { scopes: ['openid', 'invoices.unknown'] }],
    ['an unknown organization', { organization_id: '01890000-0000-7000-8000-000000000000' }],
    ['trust in an application without a secret', { kind: 'spa', trusted: true }],
    ['an unknown kind', { kind: 'desktop' }],
    ['a blank name', { name: ' ' }],
  ])('400 for %s, naming the field', async (_, given) => {
    const { status, json } = await create(given);
    expect([status, json.error.code]).toEqual([400, 'invalid_input']);
    const [field] = Object.keys(given).filter((name) => json.error.message.startsWith(`${name}`));
    expect(field).toBeDefined();
  });

  it.each<[string, Record<string, unknown>]>([
    ['http on localhost', { redirect_uris: ['http://localhost:3000/cb', 'http://127.0.0.1/cb', 'http://[::1]:8/cb'] }],
    ['a private-use scheme', { kind: 'native', redirect_uris: ['com.example.app:/cb'] }],
    ['no redirect URI with the device flow', { redirect_uris: [], device_flow: true }],
  ])('201 for %s', async (_, given) => {
    expect((await create(given)).status).toBe(201);
  });

  it('a change is valid even if a scope that it leaves unchanged no longer exists', async () => {
    await declare(app, 'invoices.old');
    const { id } = (await create({ scopes: ['openid', 'invoices.old'] })).json;
    await app.deps.db.deleteFrom('permissions').where('name', '=', 'invoices.old').execute();
    const patch = (body: object) => admin.patch(`/admin/applications/${id}`, body);
    expect((await patch({ name: 'Docs' })).status).toBe(200);
    expect((await patch({ scopes: ['invoices.old'] })).status).toBe(400);
  });

  it('an application has at most three active secrets; expired and deleted ones do not count, and a repeated DELETE is 204', async () => {
    const { id } = (await create()).json;
    const secrets = `/admin/applications/${id}/secrets`;
    const soon = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const first = await admin.post(secrets, { expires_at: soon });
    expect([first.status, first.json.secret.length >= 32, first.json.expires_at]).toEqual([201, true, soon]);
    const others = [await admin.post(secrets), await admin.post(secrets)];
    expect((await admin.post(secrets)).status).toBe(409);
    expect((await admin.post(secrets, { expires_at: app.clock.now().toISOString() })).status).toBe(400);
    const shown = (await admin.get(`/admin/applications/${id}`)).json.secrets;
    expect(shown.map((secret: { id: string }) => secret.id)).toEqual([first, ...others].map(({ json }) => json.id));
    expect(JSON.stringify(shown)).not.toContain(first.json.secret);
    const one = `${secrets}/${others[0]!.json.id}`;
    expect([(await admin.delete(one)).status, (await admin.delete(one)).status]).toEqual([204, 204]);
    expect((await admin.post(secrets)).status).toBe(201);
    const other = await create({ kind: 'native', redirect_uris: ['com.example.app:/cb'] });
    expect((await admin.post(`/admin/applications/${other.json.id}/secrets`)).status).toBe(409);
    expect((await admin.delete(`/admin/applications/${other.json.id}/secrets/${first.json.id}`)).status).toBe(404);
  });

  it('409 beyond 200 applications', async () => {
    const row = {
      name: 'x',
      kind: 'web',
      redirect_uris: [],
      post_logout_redirect_uris: [],
      scopes: [],
      resources: [],
    } as const;
    const rest = {
      backchannel_logout_uri: null,
      trusted: false,
      device_flow: true,
      organization_id: null,
      enabled: true,
    };
    const now = app.clock.now();
    const ids = Array.from({ length: 200 }, () => crypto.randomUUID());
    const lists = { redirect_uris: [], post_logout_redirect_uris: [], scopes: [], resources: [] };
    const rows = ids.map((id) => ({ ...row, ...lists, ...rest, id, client_id: id, created_at: now, deleted_at: null }));
    await app.deps.db.insertInto('applications').values(rows).execute();
    expect((await create()).status).toBe(409);
    await app.deps.db.deleteFrom('applications').where('id', 'in', ids).execute();
  });
});
