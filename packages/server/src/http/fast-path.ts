import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Health } from '@gatehouse/contract';
import type { Deps } from '../domain/context.ts';
import { mayBeUnproven } from '../domain/credentials/unproven.ts';
import { describeSession } from '../domain/sessions/describe.ts';
import type { Config } from '../platform/config/settings.ts';
import { readCookie } from './cookies.ts';
import { MAX_SINGLE_BYTES, renderOnce } from './etag.ts';
import { baseHeaders } from './headers.ts';
import { createRecord } from './record.ts';
import { fullPath, type Route } from './route.ts';
import { JSON_TYPE, writtenOnce } from './written-once.ts';

/** Answers a request from memory. Returns false, and changes nothing, if the request needs its ordinary route. */
type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

/** `source` is the state that the content is rendered from. Every change replaces this object: it is a cache key. */
interface Content {
  readonly source: object;
  readonly render: () => Document;
}

interface Document {
  /** Parts are sent in order. */
  readonly body: string | readonly Buffer[];
  readonly etag?: string;
  readonly cacheControl?: string;
}

interface HotRoute extends Pick<Route, 'path' | 'atBase'> {
  /** Returns what the ordinary route would send with status 200, or undefined if that needs more than memory. */
  readonly find: (deps: Deps, headers: IncomingHttpHeaders) => Content | undefined;
}

const HEALTHY: Health = { status: 'ok' };

const HOT_ROUTES: readonly HotRoute[] = [
  {
    path: '/healthz',
    atBase: true,
    find: () => ({ source: HEALTHY, render: () => ({ body: JSON.stringify(HEALTHY) }) }),
  },
  {
    path: '/.well-known/jwks.json',
    atBase: true,
    find({ keys }) {
      const source = keys.jwks();
      return { source, render: () => renderOnce(source, () => source) };
    },
  },
  {
    path: '/.well-known/service-revocations.json',
    atBase: true,
    find({ revocations }) {
      const source = revocations.known();
      return source && { source, render: () => ({ body: source.parts, etag: source.etag, cacheControl: 'no-cache' }) };
    },
  },
  {
    path: '/auth/session',
    find({ accessTokens, sessions }, { authorization, cookie }) {
      const token = authorization === undefined ? readCookie(cookie, 'service_at') : afterBearer(authorization);
      const claims = token === undefined ? undefined : accessTokens.known(token);
      const source = claims && sessions.known(claims.sid);
      if (!source || source.user_id !== claims.sub || source.organization_id !== claims.org) return undefined;
      if (mayBeUnproven(source)) return undefined;
      return { source, render: () => ({ body: writtenOnce(source, () => describeSession(source)) }) };
    },
  },
];

const BEARER = 'Bearer ';
const afterBearer = (authorization: string): string | undefined =>
  authorization.startsWith(BEARER) ? authorization.slice(BEARER.length) : undefined;

interface Options {
  readonly routes: readonly Route[];
  readonly nextId: (request: IncomingMessage) => string;
  readonly isOverloaded: () => boolean;
  /** Counts a request whose response is sent in parts. Returns false if its connection was closed instead. */
  readonly enter: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/**
 * Answers the usual form of the most frequent GET requests without the framework, exactly as their routes do: with
 * status 200, from bytes that are prepared once per state. All other requests go to the routes.
 */
export function createFastPath(deps: Deps, { routes, nextId, isOverloaded, enter }: Options): FastPath {
  const { config, lifecycle } = deps;
  const urlOf = (place: Pick<Route, 'path' | 'atBase'>): string => fullPath(config.ROUTE_PREFIX, place);
  const mounted = new Set(routes.map(urlOf));
  const hot = new Map(
    HOT_ROUTES.filter((route) => mounted.has(urlOf(route))).map((route) => [
      urlOf(route),
      { find: route.find, record: createRecord(deps, urlOf(route)) },
    ]),
  );
  const hasCors = config.CORS_ORIGINS.length > 0;
  const prepared = new WeakMap<object, Prepared>();
  const prepare = ({ source, render }: Content): Prepared => {
    let answer = prepared.get(source);
    if (!answer) {
      answer = prepareAnswer(config, render());
      prepared.set(source, answer);
    }
    return answer;
  };

  return (request, response) => {
    const route = request.method === 'GET' ? hot.get(request.url!) : undefined;
    if (!route || lifecycle.leaving || isOverloaded()) return false;
    // The response to an earlier request on this connection is not sent yet.
    if (response.socket === null) return false;
    const { headers } = request;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    if (headers['if-none-match'] !== undefined) return false;
    if (hasCors && headers.origin !== undefined) return false;
    const content = route.find(deps, headers);
    if (!content) return false;

    const begun = performance.now();
    const request_id = nextId(request);
    const { head, tail, body } = prepare(content);
    if ('parts' in body && !enter(request, response)) return true;
    const record = (): void =>
      route.record({ request_id, method: 'GET', status: 200, elapsedMs: performance.now() - begun });
    response.writeHead(200, [...head, request_id, ...tail]);
    const isSent = 'parts' in body ? sendParts(response, body.parts) : sendText(response, body);
    if (isSent) record();
    else response.on('finish', record);
    return true;
  };
}

/** Names and values of the headers alternate; the id of the request is between `head` and `tail`. */
interface Prepared {
  readonly head: readonly string[];
  readonly tail: readonly string[];
  readonly body: PreparedText | { readonly parts: readonly Buffer[] };
}

interface PreparedText {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}

function prepareAnswer(config: Config, { body, etag, cacheControl }: Document): Prepared {
  const base = { ...baseHeaders(config), ...(cacheControl !== undefined && { 'cache-control': cacheControl }) };
  const isText = typeof body === 'string';
  const length = isText ? Buffer.byteLength(body) : body.reduce((sum, part) => sum + part.length, 0);
  const text = isText ? body : length > MAX_SINGLE_BYTES ? undefined : Buffer.concat(body).toString();
  const more = {
    ...(config.CORS_ORIGINS.length > 0 && { vary: 'origin' }),
    ...(etag !== undefined && { etag }),
    'content-type': JSON_TYPE,
    'content-length': String(length),
  };
  return {
    head: [...Object.entries(base).flat(), 'x-request-id'],
    tail: Object.entries(more).flat(),
    // Encoding ASCII as Latin-1 is faster and yields the same bytes.
    body:
      text === undefined
        ? { parts: body as readonly Buffer[] }
        : { text, encoding: length === text.length ? 'latin1' : 'utf8' },
  };
}

/**
 * Sends headers and body with one system call. `response.end(text)` would add an empty chunk, which costs a sixth of
 * the whole request. Returns whether the kernel has accepted everything.
 */
function sendText(response: ServerResponse, { text, encoding }: PreparedText): boolean {
  const { socket } = response;
  socket!.cork();
  response.write(text, encoding);
  socket!.uncork();
  response.end();
  return socket!.writableLength === 0;
}

/** Bytes that are passed to the connection per iteration of the event loop. */
const BYTES_PER_TURN = 512 * 1024;

/**
 * Sends a body in pieces, so that a long one does not block the event loop, and waits while the client does not read.
 * Each piece is sent with one system call and without copying. Always returns false, because the body is sent
 * asynchronously.
 */
function sendParts(response: ServerResponse, parts: readonly Buffer[], first = 0): false {
  if (response.destroyed) return false;
  let [next, bytes] = [first, 0];
  response.cork();
  while (next < parts.length && bytes < BYTES_PER_TURN) {
    const part = parts[next++]!;
    bytes += part.length;
    response.write(part);
  }
  response.uncork();
  const more = (): void => void setImmediate(sendParts, response, parts, next);
  if (next === parts.length) response.end();
  else if (response.writableNeedDrain) response.once('drain', more);
  else more();
  return false;
}
