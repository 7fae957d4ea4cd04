import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  onRequestHookHandler,
  preValidationHookHandler,
} from 'fastify';
import type { Deps } from '../domain/context.ts';
import { guardsOf } from './admission.ts';
import { normalizeContentType } from './body.ts';
import { callerOf, principalOf, sessionOf } from './caller.ts';
import type { Proxies } from './client-address.ts';
import { translateError } from './errors.ts';
import { roomForUploads } from './multipart.ts';
import { recordAnswers } from './record.ts';
import { type Exchange, fullPath, type Guard, mayBeLeftOut, type Route, routeConfig } from './route.ts';

/** Mounts a route: guards before the body is read, then schema, handler and response schema. */
export function mount(app: FastifyInstance, deps: Deps, proxies: Proxies, route: Route): void {
  const url = fullPath(deps.config.ROUTE_PREFIX, route);
  if (!Array.isArray(route.admits) || route.admits.length === 0) {
    throw new Error(`${route.method} ${url} does not say whom it admits`);
  }
  const pass = passAll(guardsOf(route));
  const guard: onRequestHookHandler = (request, _reply, done) => {
    try {
      normalizeContentType(request, route.bodyKind);
      const waiting = pass(request, deps, proxies);
      if (waiting) waiting.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  };
  const exchange = (request: FastifyRequest, reply: FastifyReply): Exchange => ({
    deps,
    caller: callerOf(request, proxies),
    principal: principalOf(request),
    session: sessionOf(request),
    body: request.body,
    query: request.query,
    params: request.params,
    request,
    reply,
  });
  const { onInvalid } = route;
  app.route({
    method: route.method,
    url,
    config: routeConfig(route),
    schema: schemaOf(route),
    onResponse: recordAnswers(deps, proxies, url),
    onRequest: route.bodyKind === 'multipart' ? [guard, roomForUploads()] : guard,
    preValidation: preValidationOf(route),
    ...(onInvalid && {
      errorHandler: async (error, request, reply) => {
        if (isInputError(error, route, request)) await onInvalid(exchange(request, reply));
        throw error;
      },
    }),
    handler: sending(route, (request, reply) => route.handler(exchange(request, reply))),
  });
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Sends the only status below 300 that the route declares. */
function sending({ responses }: Route, handler: Handler): Handler {
  const [status, ...others] = Object.keys(responses)
    .map(Number)
    .filter((each) => each < 300);
  if (status === undefined || status === 200 || others.length > 0) return handler;
  return async (request, reply) => handler(request, reply.code(status));
}

/** Whether validation or reading the body has failed, not a guard or the handler. */
const isInputError = (error: FastifyError, { bodyKind }: Route, { body }: FastifyRequest): boolean =>
  error.validation !== undefined ||
  (bodyKind === 'json' && body === undefined && translateError(error).code === 'invalid_input');

function preValidationOf(route: Route): preValidationHookHandler[] {
  const nullMeansAbsent = optionalFields(route);
  return [
    ...(mayBeLeftOut(route) ? [emptyBody] : []),
    ...(nullMeansAbsent.length > 0 ? [dropNulls(nullMeansAbsent)] : []),
  ];
}

/** The optional fields of a JSON body for which null has no meaning of its own. */
function optionalFields({ bodyKind, body }: Route): string[] {
  if (bodyKind !== 'json') return [];
  const { properties = {}, required = [] } = body as { properties?: Record<string, object>; required?: string[] };
  return Object.entries(properties)
    .filter(([name, schema]) => !required.includes(name) && !allowsNull(schema))
    .map(([name]) => name);
}

const allowsNull = (schema: { type?: unknown; enum?: unknown[]; anyOf?: object[] }): boolean =>
  (Array.isArray(schema.type) && schema.type.includes('null')) ||
  schema.type === 'null' ||
  schema.enum?.includes(null) === true ||
  schema.anyOf?.some(allowsNull) === true ||
  (schema.type === undefined && schema.enum === undefined && schema.anyOf === undefined);

/** docs/reference/http.md#requests: null for an optional field means absent. */
const dropNulls =
  (fields: readonly string[]): preValidationHookHandler =>
  ({ body }, _reply, done) => {
    if (body !== null && typeof body === 'object') {
      for (const name of fields)
        if ((body as Record<string, unknown>)[name] === null) Reflect.deleteProperty(body, name);
    }
    done();
  };

/** Replaces an omitted body by an empty object, for routes whose fields are all optional. */
const emptyBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};

type Check = (request: FastifyRequest, deps: Deps, proxies: Proxies) => void | Promise<void>;

/** Runs the guards in order; creates no promise unless a guard is asynchronous. */
function passAll(guards: readonly Guard[]): Check {
  return (request, deps, proxies) => {
    for (let index = 0; index < guards.length; index++) {
      const waiting = guards[index]!.check(request, deps, proxies);
      if (waiting) return waiting.then(() => passAll(guards.slice(index + 1))(request, deps, proxies));
    }
    return undefined;
  };
}

function schemaOf(route: Route): FastifySchema {
  const response = Object.fromEntries(Object.entries(route.responses).filter(([, schema]) => schema !== null));
  return {
    ...(route.bodyKind === 'json' && { body: route.body }),
    ...(route.query && { querystring: route.query }),
    ...(route.params && { params: route.params }),
    ...(Object.keys(response).length > 0 && { response }),
  };
}
