import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from './written-once.ts';

/** The tag of a text that is the same to the byte. */
export const tagOf = (body: string): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

interface Tagged {
  /** Parts are sent one after the other. */
  readonly body: string | Buffer | readonly Buffer[];
  readonly etag: string;
  readonly cacheControl: string;
  readonly type?: string;
}

/** Sends what is ready-made, JSON unless it says otherwise, with its tag; or 304 when the client has it already. */
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

/** Bytes up to which a body is sent in one piece. */
const IN_ONE_PIECE = 64 * 1024;

/** A long body is neither copied for each reader nor written to the connection at once. */
function sendParts(reply: FastifyReply, parts: readonly Buffer[]): FastifyReply {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (length <= IN_ONE_PIECE) return reply.send(Buffer.concat(parts, length));
  return reply.header('content-length', length).send(readableOf(parts));
}

/**
 * One part in each turn of the event loop. Where the connection takes everything at once, as loopback does, a long answer
 * would otherwise be written in one turn, and the answers of many readers one after the other.
 */
function readableOf(parts: readonly Buffer[]): Readable {
  let next = 0;
  return new Readable({
    read() {
      setImmediate(() => this.push(parts[next++] ?? null));
    },
  });
}

/** Weak comparison, as RFC 9110 asks for If-None-Match. */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
