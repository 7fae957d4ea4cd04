import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from './written-once.ts';

export const tagOf = (body: string | Buffer): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

interface Tagged {
  /** Parts are sent in order. */
  readonly body: string | Buffer | readonly Buffer[];
  readonly etag: string;
  readonly cacheControl: string;
  readonly type?: string;
}

/** Sends a prepared body, by default JSON, with its ETag, or 304 if the client has it. */
export function sendTagged(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { body, etag, cacheControl, type = JSON_TYPE }: Tagged,
): FastifyReply {
  reply.header('etag', etag).header('cache-control', cacheControl);
  const given = request.headers['if-none-match'];
  if (given?.split(',').some((tag) => opaque(tag) === opaque(etag) || tag.trim() === '*')) {
    return reply.code(304).send();
  }
  reply.type(type);
  return Array.isArray(body) ? sendParts(reply, body) : reply.send(body);
}

/** A new key is published ten minutes before it signs, so caching for five minutes is safe. */
const DOCUMENT_CACHE = 'public, max-age=300';

interface RenderedDocument extends Tagged {
  readonly body: string;
}

const renderedDocuments = new WeakMap<object, RenderedDocument>();

/** Returns the JSON and the ETag of a public document. They are computed once per `source` object. */
export function renderOnce(source: object, document: () => object): RenderedDocument {
  let text = renderedDocuments.get(source);
  if (!text) {
    const body = JSON.stringify(document());
    text = { body, etag: tagOf(body), cacheControl: DOCUMENT_CACHE };
    renderedDocuments.set(source, text);
  }
  return text;
}

export const sendRendered = (
  exchange: { request: FastifyRequest; reply: FastifyReply },
  source: object,
  document: () => object,
): FastifyReply => sendTagged(exchange, renderOnce(source, document));

/** Bodies up to this size are sent in one piece. */
export const MAX_SINGLE_BYTES = 64 * 1024;

/** Avoids copying a long body for each reader and writing it in one piece. */
function sendParts(reply: FastifyReply, parts: readonly Buffer[]): FastifyReply {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length <= MAX_SINGLE_BYTES) return reply.send(Buffer.concat(parts, length));
  return reply.header('content-length', length).send(readableOf(parts));
}

/**
 * Sends one part per iteration of the event loop. If the connection accepts everything immediately, as loopback does, a
 * long response would otherwise block the loop, and the responses of many readers even longer.
 */
function readableOf(parts: readonly Buffer[]): Readable {
  let next = 0;
  return new Readable({
    read() {
      setImmediate(() => this.push(parts[next++] ?? null));
    },
  });
}

/** Weak comparison, as RFC 9110 requires for If-None-Match. */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
