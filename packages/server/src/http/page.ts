import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { pagePolicy } from './headers.ts';

interface Page {
  readonly html: string;
  /** The page's only style sheet, exactly as it is in the HTML. */
  readonly style: string;
  readonly cacheControl: string;
}

/** Sends a page with a policy that allows only its own style sheet. */
export const sendPage = (reply: FastifyReply, { html, style, cacheControl }: Page): FastifyReply =>
  reply
    .header('content-security-policy', pagePolicy(`sha256-${createHash('sha256').update(style).digest('base64')}`))
    .header('cache-control', cacheControl)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
