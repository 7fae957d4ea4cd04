import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onTestFinished } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { provider } from '../src/features/oauth-server/routes.ts';
import { buildOpenApi, isListed } from '../src/http/openapi.ts';
import type { OpenApiDocument } from '../src/http/openapi-document.ts';
import { type Feature, fullPath, routeOf } from '../src/http/route.ts';
import type { Config } from '../src/platform/config/settings.ts';
import { type Answer, checkError, createResponseCheck, type ResponseCheck } from './openapi-check.ts';

interface Watch {
  /** Throws the faults found while no test was running (in `beforeAll`). Other faults have failed their tests. */
  settle(): void;
}

interface Watched {
  readonly server: FastifyInstance;
  readonly config: Config;
  /** Replaces the features of the service. */
  readonly features?: readonly Feature[] | undefined;
}

/** Compares every response of a service in this process with its OpenAPI document. A difference fails the test. */
export function watchAnswers({ server, config, features }: Watched): Watch {
  const strays: string[] = [];
  let check: ResponseCheck | undefined;
  server.addHook('onSend', (request, reply, payload, done) => {
    const { url } = request.routeOptions;
    const answer: Answer = {
      method: request.method,
      path: url?.replaceAll(/:(\w+)/g, '{$1}') ?? 'no route',
      status: reply.statusCode,
      headers: reply.getHeaders(),
      body: payload && reply.hasHeader('content-encoding') ? undefined : textOf(payload),
    };
    const route = routeOf(request);
    if (url === undefined || (route && !isListed(route))) {
      const isPage =
        isPreflight(answer) ||
        isNotFoundPage(answer, request) ||
        (route && (answer.status < 400 || (route.errorFormat === 'page' && isHtml(answer))));
      if (!isPage) report(strays, answer, checkError(answer));
    } else {
      check ??= checkOf(config, features);
      report(strays, answer, check(answer));
    }
    done(null, payload);
  });
  return {
    settle() {
      if (strays.length > 0) throw new Error(strays.join('\n'));
    },
  };
}

const isPreflight = ({ method, status, headers }: Answer): boolean =>
  method === 'OPTIONS' && status === 204 && headers['access-control-allow-methods'] !== undefined;

const isHtml = ({ headers }: Pick<Answer, 'headers'>): boolean =>
  headers['content-type'] === 'text/html; charset=utf-8';

/** docs/reference/http.md#pages: a browser gets a page for a path that does not exist. */
const isNotFoundPage = ({ method, status, headers }: Answer, request: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  status === 404 &&
  isHtml({ headers }) &&
  request.headers.accept?.startsWith('text/html') === true;

function textOf(payload: unknown): string | undefined {
  if (payload === null || payload === undefined) return '';
  if (typeof payload === 'string') return payload;
  return Buffer.isBuffer(payload) ? payload.toString('utf8') : undefined;
}

const describeFaults = ({ method, path, status }: Answer, faults: readonly string[]): string =>
  `not as /openapi.json says: ${method} ${path} → ${status}: ${faults.join('; ')}`;

function report(strays: string[], answer: Answer, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const message = describeFaults(answer, faults);
  try {
    onTestFinished(() => {
      throw new Error(message);
    });
  } catch {
    // No test is running, so the fault is thrown by `settle`.
    strays.push(message);
  }
}

const checks = new Map<string, ResponseCheck>();

/** The routes of the service are the same objects in every app, so apps with the same list share a check. */
function checkOf(config: Config, features: readonly Feature[] | undefined): ResponseCheck {
  const options = { prefix: config.ROUTE_PREFIX, baseUrl: config.PUBLIC_BASE_URL, version: 'test' };
  if (features) return createResponseCheck(buildOpenApi(features, options));
  const own = featuresOf(config);
  const names = own.flatMap(({ routes }) => routes.map(({ method, path }) => `${method} ${path}`));
  const key = [options.prefix, ...names].join('\n');
  const check = checks.get(key) ?? createResponseCheck(buildOpenApi(own, options));
  checks.set(key, check);
  return check;
}

interface Learned {
  readonly check: ResponseCheck;
  readonly templates: readonly (readonly [string, RegExp])[];
}

const learned = new Map<string, Learned>();

/** Services in other processes, by URL. */
const served = new Map<string, Learned>();

/** Reads the document for `checkServed`, once for each `kind`: building it takes a quarter of a service's start. */
export async function learnDocument(url: string, ended: Promise<unknown>, kind?: string): Promise<void> {
  const known = (kind === undefined ? undefined : learned.get(kind)) ?? (await readDocument(url));
  if (kind !== undefined) learned.set(kind, known);
  served.set(url, known);
  void ended.then(() => served.delete(url));
}

async function readDocument(url: string): Promise<Learned> {
  const text = await (await fetch(`${url}/openapi.json`)).text();
  // Documents differ only in their URLs, so services share the compiled check.
  const key = text.replaceAll(/http:\/\/[\w.]+:\d+/g, '');
  const known = learned.get(key) ?? learn(JSON.parse(text) as OpenApiDocument);
  learned.set(key, known);
  return known;
}

function learn(document: OpenApiDocument): Learned {
  const parameters = (path: string) => path.split('{').length;
  const templates = Object.keys(document.paths)
    .toSorted((one, other) => parameters(one) - parameters(other))
    .map((path) => [path, new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)] as const);
  return { check: createResponseCheck(document), templates };
}

/** Steps of an application's sign-in that the browser visits: the document does not list them. */
const PAGES = new Set(provider.routes.filter((route) => !isListed(route)).map((route) => fullPath('/v1', route)));

/** Throws if a response does not match the document. Services in this process are checked by `watchAnswers`. */
export function checkServed(url: string, answer: Answer): void {
  const known = served.get(url);
  if (!known) return;
  const [pathname = ''] = answer.path.split('?');
  if (answer.status === 302 && PAGES.has(pathname)) return;
  const path = known.templates.find(([, template]) => template.test(pathname))?.[0];
  const faults = path === undefined ? checkError(answer) : known.check({ ...answer, path });
  if (faults.length > 0) throw new Error(describeFaults({ ...answer, path: path ?? 'no route' }, faults));
}
