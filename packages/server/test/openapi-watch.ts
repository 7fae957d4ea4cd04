import type { FastifyInstance } from 'fastify';
import { onTestFinished } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { buildOpenApi, isListed } from '../src/http/openapi.ts';
import type { OpenApiDocument } from '../src/http/openapi-document.ts';
import { type Feature, routeOf } from '../src/http/route.ts';
import type { Config } from '../src/platform/config/settings.ts';
import { type Answer, checkError, createResponseCheck, type ResponseCheck } from './openapi-check.ts';

interface Watch {
  /** Throws what was found while no test was running, in a `beforeAll` perhaps. The rest has failed its tests already. */
  settle(): void;
}

interface Watched {
  readonly server: FastifyInstance;
  readonly config: Config;
  /** In place of the service's own. */
  readonly features?: readonly Feature[] | undefined;
}

/** Compares every answer of a service in this process with its OpenAPI document. What differs fails the test that runs. */
export function watchAnswers({ server, config, features }: Watched): Watch {
  const strays: string[] = [];
  let judge: ResponseCheck | undefined;
  server.addHook('onSend', (request, reply, payload, done) => {
    const { url } = request.routeOptions;
    const answer: Answer = {
      method: request.method,
      path: url?.replaceAll(/:(\w+)/g, '{$1}') ?? 'no route',
      status: reply.statusCode,
      headers: reply.getHeaders(),
      body: textOf(payload),
    };
    const route = routeOf(request);
    if (url === undefined || (route && !isListed(route))) {
      if (!isPreflight(answer) && !(route && answer.status < 400)) report(strays, answer, checkError(answer));
    } else {
      judge ??= judgeOf(config, features);
      report(strays, answer, judge(answer));
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

function textOf(payload: unknown): string | undefined {
  if (payload === null || payload === undefined) return '';
  if (typeof payload === 'string') return payload;
  return Buffer.isBuffer(payload) ? payload.toString('utf8') : undefined;
}

const say = ({ method, path, status }: Answer, faults: readonly string[]): string =>
  `not as /openapi.json says: ${method} ${path} → ${status}: ${faults.join('; ')}`;

function report(strays: string[], answer: Answer, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const message = say(answer, faults);
  try {
    onTestFinished(() => {
      throw new Error(message);
    });
  } catch {
    // No test is running.
    strays.push(message);
  }
}

const judges = new Map<string, ResponseCheck>();

/** The service's own routes are the same objects in every app, so apps with the same list of them share a judge. */
function judgeOf(config: Config, features: readonly Feature[] | undefined): ResponseCheck {
  const options = { prefix: config.ROUTE_PREFIX, baseUrl: config.PUBLIC_BASE_URL, version: 'test' };
  if (features) return createResponseCheck(buildOpenApi(features, options));
  const own = featuresOf(config);
  const names = own.flatMap(({ routes }) => routes.map(({ method, path }) => `${method} ${path}`));
  const key = [options.prefix, ...names].join('\n');
  const judge = judges.get(key) ?? createResponseCheck(buildOpenApi(own, options));
  judges.set(key, judge);
  return judge;
}

interface Learned {
  readonly judge: ResponseCheck;
  readonly templates: readonly (readonly [string, RegExp])[];
}

const learned = new Map<string, Learned>();

/** Services in processes of their own, by address. */
const served = new Map<string, Learned>();

/** Reads the document that a service serves, so that `checkServed` can judge its answers, until it has ended. */
export async function learnDocument(url: string, ended: Promise<unknown>): Promise<void> {
  const text = await (await fetch(`${url}/openapi.json`)).text();
  // But for their addresses, services say the same: what was made of one document is good for the next.
  const key = text.replaceAll(/http:\/\/[\w.]+:\d+/g, '');
  const known = learned.get(key) ?? learn(JSON.parse(text) as OpenApiDocument);
  learned.set(key, known);
  served.set(url, known);
  void ended.then(() => served.delete(url));
}

function learn(document: OpenApiDocument): Learned {
  const parameters = (path: string) => path.split('{').length;
  const templates = Object.keys(document.paths)
    .toSorted((one, other) => parameters(one) - parameters(other))
    .map((path) => [path, new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)] as const);
  return { judge: createResponseCheck(document), templates };
}

/** Throws when the answer is not what the service's document says. One in this process has been judged there. */
export function checkServed(url: string, answer: Answer): void {
  const known = served.get(url);
  if (!known) return;
  const [pathname = ''] = answer.path.split('?');
  const path = known.templates.find(([, template]) => template.test(pathname))?.[0];
  const faults = path === undefined ? checkError(answer) : known.judge({ ...answer, path });
  if (faults.length > 0) throw new Error(say({ ...answer, path: path ?? 'no route' }, faults));
}
