import { Health, Readiness } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countMails, deleteFinishedMails } from '../../domain/mail/queries.ts';
import { metricsToken } from '../../http/metrics-token.ts';
import { type Feature, route } from '../../http/route.ts';
import { deleteOldBusEvents } from '../../platform/bus/queries.ts';
import { after } from '../../platform/clock.ts';
import { deleteExpiredCounters } from '../../platform/limiter/queries.ts';
import { VERSION } from '../../version.ts';
import { checkReadiness } from './readiness.ts';

const HEALTHY: Health = { status: 'ok' };

/** docs/reference/operations.md#health-and-discovery */
export const health: Feature = {
  name: 'Operations',
  sweeps: [
    { name: 'bus', sweep: (db, now, limit) => deleteOldBusEvents(db, after(now, -3600), limit) },
    { name: 'counters', sweep: deleteExpiredCounters },
    { name: 'mails', sweep: deleteFinishedMails },
  ],
  gauges: addGauges,
  routes: [
    route({
      id: 'getHealth',
      method: 'GET',
      path: '/healthz',
      atBase: true,
      admits: ['anyone'],
      summary: 'Liveness: the process responds',
      responses: { 200: Health },
      handler: () => HEALTHY,
      fast: () => ({ source: HEALTHY, render: () => ({ body: JSON.stringify(HEALTHY) }) }),
    }),
    route({
      id: 'getReadiness',
      method: 'GET',
      path: '/readyz',
      atBase: true,
      admits: ['anyone'],
      summary: 'Readiness: the service can handle requests',
      description: 'Missing mail transport and degraded providers are reported, but do not cause a 503 on their own.',
      responses: { 200: Readiness, 503: Readiness },
      handler: async ({ deps, reply }) => {
        const readiness = await checkReadiness(deps);
        return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness);
      },
    }),
    route({
      id: 'getMetrics',
      method: 'GET',
      path: '/metrics',
      atBase: true,
      admits: ['anyone'],
      access: [metricsToken],
      summary: 'Metrics in the Prometheus text format',
      responses: { 200: null },
      produces: 'text/plain',
      handler: async ({ deps, reply }) => reply.type(deps.metrics.contentType).send(await deps.metrics.text()),
    }),
  ],
};

function addGauges({ metrics, database, db, bus }: Deps): void {
  metrics.gauges(
    {
      name: 'gatehouse_build_info',
      help: 'Always 1; the label is the version of the service',
      label: 'version',
      across: 'max',
    },
    async () => ({ [VERSION]: 1 }),
  );
  metrics.gauge({ name: 'gatehouse_workers', help: 'Worker processes that serve requests', across: 'sum' }, () => 1);
  metrics.gauges(
    { name: 'gatehouse_database_connections', help: 'Connections of the pool', label: 'state', across: 'sum' },
    async () => ({ ...database.load() }),
  );
  const mails = 'Mails in the queue, and finished ones not yet swept';
  metrics.gauges({ name: 'gatehouse_mails', help: mails, label: 'state', across: 'max' }, () => countMails(db));
  metrics.gauge(
    { name: 'gatehouse_bus_fresh', help: '1 while changes from other replicas arrive', across: 'min' },
    () => Number(bus.isFresh()),
  );
}
