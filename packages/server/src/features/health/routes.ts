import { Health, Readiness } from '@gatehouse/contract';
import { metricsToken, open } from '../../http/guards.ts';
import { type Feature, route } from '../../http/route.ts';
import { checkReadiness } from './readiness.ts';

export const health: Feature = {
  name: 'Operations',
  routes: [
    route({
      method: 'GET',
      path: '/healthz',
      atBase: true,
      access: [open],
      summary: 'Liveness: the process answers',
      responses: { 200: Health },
      handler: () => ({ status: 'ok' as const }),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      atBase: true,
      access: [open],
      summary: 'Readiness: the service can do its work',
      description: 'Mail and degraded providers are reported, and do not make it 503 alone.',
      responses: { 200: Readiness, 503: Readiness },
      handler: async ({ deps, reply }) => {
        const readiness = await checkReadiness(deps);
        return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness);
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      atBase: true,
      access: [open, metricsToken],
      summary: 'Prometheus exposition',
      responses: { 200: null },
      produces: 'text/plain',
      handler: async ({ deps, reply }) => reply.type(deps.metrics.contentType).send(await deps.metrics.text()),
    }),
  ],
};
