import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/service-error.ts';
import { routeOf } from './route.ts';

const fault = (message: string) => new ServiceError('invalid_input', `body: ${message}`);

/**
 * Reads every body, whatever it is declared to be, by the route's own word: `json` asks for a declared JSON object,
 * `any` never fails (the endpoints that always answer 204), a route without a body schema throws the bytes away.
 */
export function acceptBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) => {
    const kind = routeOf(request)?.bodyKind ?? 'none';
    if (kind === 'none') {
      stream.resume();
      return undefined;
    }
    try {
      return parseJson(request.headers['content-type'], await collect(stream, LIMITS.jsonBodyBytes));
    } catch (error) {
      if (kind === 'any' && error instanceof ServiceError) return undefined;
      throw error;
    }
  });
}

/**
 * Before the framework looks: a declaration that it cannot read is its own error, also on routes that take any body. What
 * is not asked to be JSON is called by a name that passes.
 */
export function normalizeContentType(request: FastifyRequest, kind: 'json' | 'any' | 'none'): void {
  const { headers } = request.raw;
  if (kind === 'json' || headers['content-type'] === undefined) return;
  headers['content-type'] = isJson(headers['content-type']) ? 'application/json' : 'application/octet-stream';
}

const isJson = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json *(;|$)/i.test(contentType);

function parseJson(contentType: string | undefined, bytes: Buffer): unknown {
  // Nothing at all is for the schema to judge.
  if (bytes.length === 0) return undefined;
  if (!isJson(contentType)) throw fault('must be declared as application/json');
  if (!isUtf8(bytes)) throw fault('must be UTF-8');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw fault('must be valid JSON');
  }
}

/** The whole stream is read also when it is too long, so that the answer arrives; it is not kept. */
async function collect(stream: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(stream.headers['content-length']) > limit) {
    stream.resume();
    throw fault(`must be at most ${limit} bytes`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else if (length > 2 * limit) break;
    }
  } catch {
    throw fault('was cut off');
  }
  if (length > limit) throw fault(`must be at most ${limit} bytes`);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
}
