import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from './written-once.ts';

/** The tag of a text that is the same to the byte. */
export const tagOf = (body: string): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

interface Tagged {
  readonly body: string | Buffer;
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
  return reply.type(type).send(body);
}

/** Weak comparison, as RFC 9110 asks for If-None-Match. */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
