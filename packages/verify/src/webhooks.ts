import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookVerificationError } from './webhook-verification-error.ts';

export { type WebhookRejection, WebhookVerificationError } from './webhook-verification-error.ts';

/** Standard Webhooks 1.0 leaves the tolerance to the receiver; its libraries also use 5 minutes. */
const TOLERANCE_SECONDS = 5 * 60;
const PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The headers of a request: those of Node, Express and Fastify, in any case, or a `Headers` object. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

/** An event, as webhooks and the event stream of Gatehouse carry it. New fields may be added. */
export interface WebhookEvent {
  /** The action in the audit trail, for example `member.removed`; `webhook.test` for a test. */
  readonly type: string;
  /** When the event happened, RFC 3339. A delivery may arrive much later. */
  readonly timestamp: string;
  readonly data: {
    /** The id in the header `webhook-id`, the same for every delivery of the event. */
    readonly event_id: string;
    readonly organization_id: string;
    readonly actor_id: string | null;
    readonly actor_type: string;
    readonly resource_type: string;
    readonly resource_id: string;
    readonly outcome: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
}

/**
 * Verifies a webhook request and returns its event. Throws `WebhookVerificationError` unless the body was signed with
 * one of the secrets, at most 5 minutes ago (Standard Webhooks 1.0).
 *
 * Pass the body as it was received, not a parsed one: the signature covers its exact bytes. While a secret is rotated,
 * pass the new and the old one. An event may be delivered more than once: `event.data.event_id` stays the same.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from '@gatehouse/verify/webhooks';
 * import { Hono } from 'hono';
 *
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
 * const formerMembers = new Set<string>();
 * const app = new Hono();
 * app.post('/webhooks', async (c) => {
 *   const event = verifyWebhook(c.req.raw.headers, await c.req.text(), secret);
 *   if (event.type === 'member.removed') formerMembers.add(event.data.resource_id);
 *   return c.body(null, 204);
 * });
 * ```
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
  secrets: string | readonly string[],
): WebhookEvent {
  const keys = keysOf(secrets);
  const content = bytesOf(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature', ' ').split(' ');
  requireRecent(timestamp);
  const isSigned = keys.some((key) => {
    const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(content).digest('base64');
    return signatures.some((signature) => isEqual(signature, `v1,${digest}`));
  });
  if (!isSigned) throw new WebhookVerificationError('signature_mismatch', 'no signature matches the secret');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) as WebhookEvent;
  } catch {
    // The parser's message quotes the body, so it is not passed on.
    throw new WebhookVerificationError('body_invalid', 'the body is not JSON');
  }
}

/** Throws for unusable secrets, so that a missing setting fails at the first request instead of rejecting all. */
function keysOf(secrets: unknown): Buffer[] {
  const list: unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw new TypeError('verifyWebhook needs at least one secret');
  return list.map((secret) => {
    const encoded = typeof secret === 'string' && secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret;
    if (typeof encoded !== 'string' || encoded === '' || !BASE64.test(encoded)) {
      throw new TypeError('verifyWebhook needs secrets as Gatehouse shows them: whsec_ and base64');
    }
    return Buffer.from(encoded, 'base64');
  });
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  // Body parsers return these values for a request without a body, or with another media type.
  if (body === undefined || body === null) throw new WebhookVerificationError('body_invalid', 'there is no body');
  throw new TypeError('verifyWebhook needs the body as it was received: a string or bytes, not a parsed object');
}

/** Returns the value of a header. With `joint`, several values are joined by it; otherwise there must be one. */
function headerOf(headers: WebhookHeaders, name: string, joint?: string): string {
  const values =
    typeof headers.get === 'function'
      ? [headers.get(name)]
      : Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []));
  const given = values.filter((value) => typeof value === 'string' && value !== '');
  if (given.length === 0 || (given.length > 1 && joint === undefined)) {
    throw new WebhookVerificationError('headers_missing', `the request must have exactly one header ${name}`);
  }
  return given.join(joint);
}

function requireRecent(timestamp: string): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('timestamp_invalid', 'webhook-timestamp is not a number of seconds');
  }
  const ageSeconds = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (ageSeconds > TOLERANCE_SECONDS) {
    throw new WebhookVerificationError('timestamp_too_old', 'webhook-timestamp is more than 5 minutes ago');
  }
  if (ageSeconds < -TOLERANCE_SECONDS) {
    throw new WebhookVerificationError('timestamp_too_new', 'webhook-timestamp is more than 5 minutes from now');
  }
}

/** Compares in constant time, so that the duration does not reveal where the texts differ. */
function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
