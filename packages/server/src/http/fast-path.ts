import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../domain/context.ts';
import type { Config } from '../platform/config/settings.ts';
import { MAX_SINGLE_BYTES } from './etag.ts';
import { baseHeaders } from './headers.ts';
import { createRecord } from './record.ts';
import { type Content, type Document, fullPath, type Route } from './route.ts';
import type { Shedding } from './shedding.ts';
import { JSON_TYPE } from './written-once.ts';

/** Answers a request from memory. Returns false, and changes nothing, if the request needs its ordinary route. */
type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Options {
  readonly routes: readonly Route[];
  readonly nextId: (request: IncomingMessage) => string;
  readonly load: Shedding;
}

/**
 * Answers the usual form of requests to the routes with `fast` without the framework, exactly as these routes do: with
 * status 200, from bytes that are prepared once per state. All other requests go to the routes.
 */
export function createFastPath(deps: Deps, { routes, nextId, load }: Options): FastPath {
  const { config, lifecycle } = deps;
  const fastRoutes = new Map(
    routes.flatMap(({ fast, ...place }) => {
      const url = fullPath(config.ROUTE_PREFIX, place);
      return fast ? [[url, { fast, record: createRecord(deps, url) }] as const] : [];
    }),
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
    const route = request.method === 'GET' ? fastRoutes.get(request.url!) : undefined;
    if (!route || lifecycle.leaving || load.overloaded()) return false;
    // The response to an earlier request on this connection is not sent yet.
    if (response.socket === null) return false;
    const { headers } = request;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
    if (headers['if-none-match'] !== undefined) return false;
    if (hasCors && headers.origin !== undefined) return false;
    const content = route.fast(deps, headers);
    if (!content) return false;

    const begun = performance.now();
    const request_id = nextId(request);
    const { head, tail, body } = prepare(content);
    // All other responses are sent at once.
    if ('parts' in body) load.count(response);
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
