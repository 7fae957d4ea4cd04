import { AuditExportQuery, AuditPage, AuditQuery, OrganizationAuditQuery, Uuid } from '@gatehouse/contract';
import { Type } from 'typebox';
import { countAuditRows } from '../../domain/audit/counts/count.ts';
import { ensureAuditMonths } from '../../domain/audit/queries.ts';
import { organizationOf } from '../../domain/kernel/principal.ts';
import { entitled, permitted, platform } from '../../http/guards.ts';
import { readPaging } from '../../http/page-query.ts';
import { type Exchange, type Feature, route } from '../../http/route.ts';
import { exportAudit } from './export.ts';
import { listAudit } from './list.ts';
import { readRange } from './time-range.ts';

const NDJSON = 'application/x-ndjson';

export const audit: Feature = {
  name: 'Audit trail',
  sweeps: [
    { name: 'audit counts', sweep: async (db, _now, limit) => ((await countAuditRows(db)) ? limit : 0) },
    { name: 'audit months', sweep: async (db, now) => ensureAuditMonths(db, now).then(() => 0) },
  ],
  routes: [
    route({
      id: 'listAuditEvents',
      method: 'GET',
      path: '/audit-logs',
      admits: ['session'],
      access: [platform('viewer')],
      summary: 'List audit events of all organizations',
      description:
        'Newest first. `total` is exact and from the same snapshot as the page. An unknown action or user, or a `from` after `to`, returns an empty list.',
      query: AuditQuery,
      responses: { 200: AuditPage },
      handler: ({ deps, query }) => listAudit(deps, query, readPaging(query)),
    }),
    route({
      id: 'listOwnAuditEvents',
      method: 'GET',
      path: '/orgs/:org_id/audit-logs',
      admits: ['session', 'sso', 'machine'],
      access: [permitted('audit.read')],
      summary: 'List audit events of the organization',
      description:
        'Newest first, with an exact `total`. Leaves out what platform administrators did, except suspending and restoring the organization and disabling, enabling or deleting accounts of members; these are shown without the actor.',
      params: Type.Object({ org_id: Uuid }),
      query: OrganizationAuditQuery,
      responses: { 200: AuditPage },
      handler: ({ deps, principal, query }) => listAudit(deps, query, readPaging(query), organizationOf(principal)),
    }),
    route({
      id: 'exportAuditEvents',
      method: 'GET',
      path: '/admin/audit-export',
      admits: ['session'],
      access: [entitled('AuditExport'), platform('admin')],
      summary: 'Export the audit trail as a signed file',
      description:
        'One row per line, oldest first, then a line with `_signature` and `_count`. `X-Service-Signature` contains the same signature: HMAC-SHA256 over all lines before the last, including line feeds. `gatehouse audit verify <file>` verifies it. A response without that last line is incomplete. At most two exports run at the same time.',
      query: AuditExportQuery,
      responses: { 200: null },
      produces: NDJSON,
      sends: ['X-Service-Signature', 'Content-Disposition'],
      errors: ['rate_limited'],
      handler: sendExport,
    }),
  ],
};

async function sendExport({ deps, caller, query, request, reply }: Exchange<unknown, AuditExportQuery>) {
  const range = readRange(query);
  // HEAD gets no signature: computing it would require reading every row.
  if (request.method === 'HEAD') return reply.type(NDJSON).send();
  // The client disconnected while the guards ran: the signal would never be aborted.
  if (request.raw.destroyed) return reply.hijack();
  // Before the first byte, every row is read for the signature: the socket's idle timeout does not apply.
  const ignoreTimeout = () => {};
  reply.raw.on('timeout', ignoreTimeout);
  const signed = await exportAudit(deps, caller, range, { gone: request.signal }).finally(() =>
    reply.raw.off('timeout', ignoreTimeout),
  );
  if (!signed) return reply.hijack();
  const name = `audit-${deps.clock
    .now()
    .toISOString()
    .replace(/\.\d+|[-:]/g, '')}.ndjson`;
  return reply
    .type(NDJSON)
    .header('x-service-signature', signed.signature)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(signed.body);
}
