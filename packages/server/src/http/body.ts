import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { LIMITS, TEXT_FORMATS } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/kernel/service-error.ts';
import { isMultipart, maxBodyBytes, parseUpload, tooLarge, type Upload, uploadOf } from './multipart.ts';
import { type BodyKind, routeOf } from './route.ts';

const fault = (message: string) => new ServiceError('invalid_input', `body: ${message}`);

/**
 * Reads a body by the kind that its route declares: `json` requires a JSON object with its content type, `form` the
 * fields of a form, `parameters` a form without repetitions, `pairs` one with them, `multipart` a form with one file;
 * `any` never fails (endpoints that always return 204); without a schema the body is discarded.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const route = routeOf(request);
    const kind = route?.bodyKind ?? 'none';
    if (kind === 'none') {
      stream.resume();
      return undefined;
    }
    const contentType = request.headers['content-type'];
    if (kind === 'multipart') return readUpload(contentType, stream, uploadOf(route?.body));
    if (kind === 'pairs')
      return isForm(contentType)
        ? new URLSearchParams((await collect(stream, FORM_BOUNDS)).toString('utf8'))
        : discard(stream);
    if (kind === 'parameters') return parseParameters(contentType, await collect(stream, FORM_BOUNDS));
    if (kind === 'form') return parseForm(contentType, await collect(stream, FORM_BOUNDS));
    try {
      return parseJson(contentType, await collect(stream, JSON_BOUNDS));
    } catch (error) {
      if (kind === 'any' && error instanceof ServiceError) return undefined;
      throw error;
    }
  });
}

function discard(stream: IncomingMessage): URLSearchParams {
  stream.resume();
  return new URLSearchParams();
}

async function readUpload(contentType: string | undefined, stream: IncomingMessage, upload: Upload) {
  const limit = maxBodyBytes(upload);
  const bytes = await collect(stream, { limit, tooLong: () => tooLarge(upload) });
  return parseUpload(contentType, bytes, upload);
}

/**
 * Runs before the framework, which would reject an unreadable content type even on routes that take any body. If JSON
 * is not required, replaces the content type by one that passes. A form without a content type, or without a body, is
 * parsed too.
 */
export function normalizeContentType(request: FastifyRequest, kind: BodyKind): void {
  const { headers } = request.raw;
  if (kind === 'multipart') {
    if (!isMultipart(headers['content-type'])) headers['content-type'] = 'application/octet-stream';
    return;
  }
  if (kind === 'json' || headers['content-type'] === undefined) return;
  if ((kind === 'form' || kind === 'parameters' || kind === 'pairs') && isForm(headers['content-type'])) return;
  headers['content-type'] = isJson(headers['content-type']) ? 'application/json' : 'application/octet-stream';
}

const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json *(;|$)/i.test(contentType);

const isForm = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/x-www-form-urlencoded *(;|$)/i.test(contentType);

/** A field that occurs twice is dropped, because it is ambiguous. */
function parseForm(contentType: string | undefined, bytes: Buffer): Map<string, string> {
  if (!isForm(contentType)) throw fault('must have the content type application/x-www-form-urlencoded');
  const fields = new Map<string, string>();
  const twice = new Set<string>();
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (fields.has(name)) twice.add(name);
    fields.set(name, value);
  }
  for (const name of twice) fields.delete(name);
  return fields;
}

/** RFC 6749, section 3.2: a parameter without a value counts as left out, and none may occur twice. */
function parseParameters(contentType: string | undefined, bytes: Buffer): Map<string, string> {
  if (!isForm(contentType)) throw fault('must have the content type application/x-www-form-urlencoded');
  const [fields, seen] = [new Map<string, string>(), new Set<string>()];
  for (const [name, value] of new URLSearchParams(bytes.toString('utf8'))) {
    if (seen.has(name)) throw new ServiceError('invalid_input', `${shownName(name)}: must not occur twice`);
    if (!TEXT_FORMATS.text(value)) {
      throw new ServiceError('invalid_input', `${shownName(name)}: must not contain control characters`);
    }
    seen.add(name);
    if (value !== '') fields.set(name, value);
  }
  return fields;
}

/** A name is sent back only if it may be the name of a parameter. */
const shownName = (name: string): string => (/^\w{1,40}$/.test(name) ? name : 'parameter');

function parseJson(contentType: string | undefined, bytes: Buffer): unknown {
  // An empty body is checked by the schema.
  if (bytes.length === 0) return undefined;
  if (!isJson(contentType)) throw fault('must have the content type application/json');
  if (!isUtf8(bytes)) throw fault('must be UTF-8');
  if (bytes.length > MAX_NODES && hasTooManyNodes(bytes))
    throw fault(`must contain at most ${MAX_NODES} arrays, objects and fields`);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw fault('must be valid JSON');
  }
}

/** Far more than any request needs. */
const MAX_NODES = 20_000;
const BRACKET = 0x5b;
const BRACE = 0x7b;
const COLON = 0x3a;

/**
 * Whether parsing the body would take too long: a megabyte of brackets takes the parser a fifth of a second, a megabyte
 * of distinct field names half a second, in which no other request is served. Characters inside of strings count too.
 */
function hasTooManyNodes(bytes: Buffer): boolean {
  let nodes = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    if ((byte === COLON || byte === BRACE || byte === BRACKET) && ++nodes > MAX_NODES) return true;
  }
  return false;
}

interface Bounds {
  readonly limit: number;
  readonly tooLong: () => ServiceError;
}

const JSON_BOUNDS: Bounds = {
  limit: LIMITS.jsonBodyBytes,
  tooLong: () => fault(`must be at most ${LIMITS.jsonBodyBytes} bytes`),
};

const FORM_BOUNDS: Bounds = {
  limit: LIMITS.formBodyBytes,
  tooLong: () => fault(`must be at most ${LIMITS.formBodyBytes} bytes`),
};

/** A body over the limit is discarded up to this multiple (clients read the error after sending), then cut off. */
const DISCARD_FACTOR = 8;

async function collect(stream: IncomingMessage, { limit, tooLong }: Bounds): Promise<Buffer> {
  const maxDiscardBytes = DISCARD_FACTOR * limit;
  if (Number(stream.headers['content-length']) > maxDiscardBytes) {
    stream.resume();
    throw tooLong();
  }
  // One buffer, which grows: a list of many small chunks would need 200 times the memory of the body.
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  // Uses `data` events: async iteration takes twice as long for a body of many small chunks.
  stream.on('data', (chunk: Buffer) => {
    const start = length;
    length += chunk.length;
    if (length > maxDiscardBytes) stream.destroy();
    else if (length > limit) bytes = Buffer.alloc(0);
    else if (start === 0) bytes = chunk;
    else {
      if (length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(length, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, start);
        bytes = larger;
      }
      chunk.copy(bytes, start);
    }
  });
  try {
    await finished(stream);
  } catch {
    // `destroy()` above also rejects; then the body is too long, not incomplete.
    if (length <= maxDiscardBytes) throw fault('is incomplete');
  }
  if (length > limit) throw tooLong();
  return bytes.subarray(0, length);
}
