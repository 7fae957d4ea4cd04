import { hkdfSync } from 'node:crypto';
import type { AuditRow } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, createBrowser } from '../../../test/browser.ts';
import { SECRET, startTestApp, type TestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf } from '../../../test/records.ts';
import { insertEvents } from '../../domain/audit/counts/trail-fixture.ts';
import { createReader, FIELDS, type Reader } from './audit-fixture.ts';
import { takeApart } from './download-fixture.ts';

/** The text is not ASCII: the key is its UTF-8 bytes. */
const KEY = 'ключ 🔑 of the exports';

const app = useTestApp({ environment: { TIER: 'premium', AUDIT_EXPORT_KEY: KEY } });
let free: TestApp;
let admin: Reader;
beforeAll(async () => {
  free = await startTestApp({ database: app.database, clock: app.clock });
  admin = await createReader(app, 'admin');
  const hours = Array.from(
    { length: 2_500 },
    (_, index) => new Date(Date.parse('2029-01-01T00:00:00Z') + index * 60_000),
  );
  await insertEvents(
    app.deps.db,
    hours.map((timestamp) => ({ timestamp, action: 'test.minute' })),
  );
});
afterAll(async () => {
  await free.close();
});

const auditRows = () => auditOf(app, { actor_id: admin.user_id, action: 'audit.exported' });

describe('§4.10 GET /admin/audit-export', () => {
  it('the export has one row per line, ascending by id, then the trailer; the signature covers every line with its line feed', async () => {
    const written = await auditOf(app);
    const answer = await admin.export();
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-disposition']).toMatch(/^attachment; filename="audit-\d{8}T\d{6}Z\.ndjson"$/);
    expect(answer.text.endsWith('\n')).toBe(true);
    const { lines, trailer, expected } = takeApart(answer.text, KEY);
    expect(trailer).toEqual({ _signature: expected, _count: lines.length });
    expect(answer.headers['x-service-signature']).toBe(expected);
    const rows = lines.map((line) => JSON.parse(line) as AuditRow);
    expect(rows.map(({ id }) => id)).toEqual(written.map(({ id }) => id));
    expect(rows.length).toBeGreaterThanOrEqual(2_500);
    for (const row of rows) expect(Object.keys(row)).toEqual(FIELDS);
  });

  it('a line of the export equals the row in GET /audit-logs', async () => {
    const { items } = (await admin.list({ action: 'test.minute', page_size: 3 })).json;
    const { lines } = takeApart((await admin.export({ from: items[2].timestamp, to: items[0].timestamp })).text, KEY);
    expect(lines).toEqual(items.reverse().map((item: AuditRow) => JSON.stringify(item)));
  });

  it('from and to are inclusive, and each is optional', async () => {
    const count = async (query: Record<string, string>) =>
      takeApart((await admin.export(query)).text, KEY).trailer._count;
    expect(await count({ from: '2029-01-01T10:00:00Z', to: '2029-01-01T12:00:00+01:00' })).toBe(61);
    expect(await count({ from: '2029-01-01T10:00:00Z', to: '2029-01-01T10:00:00Z' })).toBe(1);
    expect(await count({ to: '2029-01-01T00:09:59.999Z' })).toBe(10);
    const all = (await auditOf(app)).length;
    expect(await count({ from: '2029-01-01T00:10:00Z' })).toBe(all - 10);
  });

  it.each([
    { from: '2029-05-01T00:00:00Z', to: '2029-05-02T00:00:00Z' },
    { from: '2029-05-02T00:00:00Z', to: '2029-05-01T00:00:00Z' },
  ])('an empty range yields only the trailer: %o', async (query) => {
    const answer = await admin.export(query);
    expect(answer.status).toBe(200);
    const { lines, trailer, expected } = takeApart(answer.text, KEY);
    expect({ lines, trailer }).toEqual({ lines: [], trailer: { _signature: expected, _count: 0 } });
  });

  it('the export is audited with actor, row count, range and signature, and does not contain its own audit row', async () => {
    const answer = await admin.export({ from: '2029-01-01T10:00:00+01:00' });
    const { trailer, lines } = takeApart(answer.text, KEY);
    const event = (await auditRows()).at(-1)!;
    expect(event).toMatchObject({
      organization_id: admin.organization_id,
      resource_type: 'audit_export',
      resource_id: trailer._signature,
      metadata: { count: trailer._count, from: '2029-01-01T09:00:00.000Z', to: null },
      outcome: 'success',
    });
    expect(lines.map((line) => JSON.parse(line).id)).not.toContain(event.id);
  });

  it('without an export key the signature uses a key derived from JWT_SECRET', async () => {
    const other = await startTestApp({ environment: { TIER: 'premium' }, database: app.database, clock: app.clock });
    const answer = await createBrowser(other).get('/admin/audit-export', bearer(admin.access_token));
    const derived = Buffer.from(hkdfSync('sha256', SECRET, 'gatehouse', 'audit-export', 32));
    const { trailer, expected } = takeApart(answer.text, derived);
    expect(trailer._signature).toBe(expected);
    await other.close();
  });

  it('HEAD returns neither rows nor a signature, and is not audited', async () => {
    const before = (await auditRows()).length;
    const answer = await createBrowser(app).send('HEAD', '/admin/audit-export', bearer(admin.access_token));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    expect(answer.headers['x-service-signature']).toBeUndefined();
    expect(answer.text).toBe('');
    expect(await auditRows()).toHaveLength(before);
  });
});

describe('§4.10 access and validation of the export', () => {
  const ask = (place: TestApp, token: string, query = '') =>
    createBrowser(place).get(`/admin/audit-export${query}`, bearer(token));

  it('401 without a credential, also on a tier without exports', async () => {
    for (const place of [app, free]) expect((await createBrowser(place).get('/admin/audit-export')).status).toBe(401);
  });

  it('402 comes before 403 and before the validation of the query', async () => {
    const nobody = await createReader(app, null);
    for (const { access_token } of [nobody, admin]) {
      const answer = await ask(free, access_token, '?from=nonsense');
      expect(answer.status).toBe(402);
      expect(answer.json.error.code).toBe('payment_required');
    }
  });

  it('403 below platform admin, before the validation of the query', async () => {
    for (const role of [null, 'viewer'] as const) {
      const { access_token } = await createReader(app, role);
      expect((await ask(app, access_token, '?from=nonsense')).status).toBe(403);
    }
    const owner = await createReader(app, 'owner');
    expect((await owner.export({ to: '2029-01-01T00:00:00Z' })).status).toBe(200);
  });

  it.each([
    ['from', 'nonsense'],
    ['to', '2029-02-29T00:00:00Z'],
    ['to', '2029-01-01'],
  ])('400 for %s=%s, as JSON, and nothing is audited', async (field, value) => {
    const before = (await auditRows()).length;
    const answer = await admin.export({ [field]: value });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json.error.message).toBe(`${field}: must be an RFC 3339 timestamp`);
    expect(await auditRows()).toHaveLength(before);
  });
});
