import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { pagePolicy } from './headers.ts';

interface Page {
  readonly html: string;
  /** The page's one style sheet, exactly as it stands in it. */
  readonly style: string;
  readonly cacheControl: string;
}

/** Sends a page of ours under a policy that allows its own style sheet and nothing else. */
export const sendPage = (reply: FastifyReply, { html, style, cacheControl }: Page): FastifyReply =>
  reply
    .header('content-security-policy', pagePolicy(`sha256-${createHash('sha256').update(style).digest('base64')}`))
    .header('cache-control', cacheControl)
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
