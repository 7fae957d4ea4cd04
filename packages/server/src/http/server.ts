import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Deps } from '../domain/context.ts';
import { tooMany } from '../domain/kernel/service-error.ts';
import { PoolBusy } from '../platform/db/errors.ts';
import { acceptBodies } from './body.ts';
import { type Proxies, trustedProxies } from './client-address.ts';
import { answerBrokenRequests, answerOddRequests } from './client-error.ts';
import { type Compilers, lazyCompilers } from './compilers.ts';
import { applyCors } from './cors.ts';
import { noSuchRoute } from './errors.ts';
import { createFastPath } from './fast-path.ts';
import { baseHeaders } from './headers.ts';
import { mount } from './mount.ts';
import { answerError } from './not-found.ts';
import { recordUnmatched } from './record.ts';
import { requestIds } from './request-id.ts';
import type { Feature } from './route.ts';
import { isNeverShed, type Shedding, watchLoad } from './shedding.ts';
import { applySpaCors, isForSpa } from './spa-cors.ts';
import { ajvOptions } from './validation.ts';

export interface ServerOptions {
  /** Shared compilers, for a process that starts many services. */
  compilers?: Compilers | undefined;
}

/** Creates the HTTP server with all features mounted. It does not listen yet. */
export function createServer(
  deps: Deps,
  features: readonly Feature[],
  { compilers = lazyCompilers() }: ServerOptions = {},
): FastifyInstance {
  const headers = baseHeaders(deps.config);
  const nextId = requestIds();
  const routes = features.flatMap((feature) => feature.routes);
  const load = watchLoad({ maxDelayMs: deps.config.OVERLOAD_DELAY_MS });
  const answerFast = deps.config.FAST_PATH === 'on' ? createFastPath(deps, { routes, nextId, load }) : () => false;
  const app = Fastify({
    logger: false,
    genReqId: nextId,
    requestIdHeader: false,
    ajv: ajvOptions!,
    schemaController: { compilersFactory: compilers },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (handle) =>
      openServer((request, response) => {
        if (!answerFast(request, response)) handle(request, response);
      }),
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error, request, reply) =>
      void answerError((reply as FastifyReply).headers(headers).header('x-request-id', request.id), deps, error),
    clientErrorHandler: answerBrokenRequests,
  });
  acceptBodies(app);
  app.setNotFoundHandler((_request, reply) => answerError(reply, deps, noSuchRoute()));
  answerOddRequests(app.server);
  const proxies = trustedProxies(deps.config.TRUST_PROXY ?? []);
  addBaseHooks(app, deps, { proxies, headers, load });
  for (const route of routes) mount(app, deps, proxies, route);
  return app;
}

function openServer(listener: RequestListener): Server {
  const server = createHttpServer(
    {
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      // Longer than that of the proxy in front (docs/deploying.md).
      keepAliveTimeout: 72_000,
      connectionsCheckingInterval: 5_000,
      // The Host header is not used, so it may be missing.
      requireHostHeader: false,
    },
    listener,
  );
  // A client that does not read would otherwise be kept, with its response, forever.
  server.timeout = 60_000;
  return server;
}

interface Base {
  proxies: Proxies;
  headers: Record<string, string>;
  load: Shedding;
}

/** Hooks for every request, with or without a route. */
function addBaseHooks(app: FastifyInstance, deps: Deps, { proxies, headers, load }: Base): void {
  const shed = deps.metrics.counter(
    'gatehouse_http_shed_total',
    'Requests rejected because the process was overloaded',
  );
  app.addHook('onClose', async () => load.stop());
  app.setErrorHandler((error, _request, reply) => {
    if (error instanceof PoolBusy) shed.add();
    return answerError(reply, deps, error);
  });
  // Reading the address caches it, so that the audit trail has it even after the client has disconnected.
  app.server.on('connection', (connection) => void connection.remoteAddress);
  app.addHook('onRequest', (request, reply, done) => {
    load.count(reply.raw);
    reply.headers(headers).header('x-request-id', request.id);
    if (deps.lifecycle.leaving) reply.header('connection', 'close');
    const isShed = load.overloaded() && !isNeverShed(request.url);
    if (isShed) shed.add();
    const proceed = (isAnswered: boolean): void => {
      if (!isAnswered) done(isShed ? tooMany(1) : undefined);
    };
    if (isForSpa(request)) applySpaCors(request, reply, deps).then(proceed, done);
    else proceed(applyCors(request, reply, deps.config.CORS_ORIGINS));
  });
  app.addHook('onResponse', recordUnmatched(deps, proxies));
}

/** The time that running requests have after the server starts to close. */
const REQUEST_GRACE_MS = 6_000;

/** Closes busy connections after their response, and cuts those that never complete their request. */
export async function closeServer(server: FastifyInstance): Promise<void> {
  const sweep = setInterval(() => server.server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.server.closeAllConnections(), REQUEST_GRACE_MS);
  await server.close().finally(() => {
    clearInterval(sweep);
    clearTimeout(cut);
  });
}
