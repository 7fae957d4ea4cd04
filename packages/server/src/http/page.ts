import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { pagePolicy } from './headers.ts';

interface Page {
  readonly html: string | Buffer;
  /** The page's only style sheet, exactly as it is in the HTML. */
  readonly style: string;
  /** The page's only script, if it has one. */
  readonly script?: string;
  readonly cacheControl: string;
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

export const sendPage = (reply: FastifyReply, { html, style, script, cacheControl }: Page): FastifyReply =>
  reply
    .header('content-security-policy', pagePolicy(hashOf(style), script === undefined ? undefined : hashOf(script)))
    .header('cache-control', cacheControl)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
