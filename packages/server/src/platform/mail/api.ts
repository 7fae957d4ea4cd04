import { OutboundError, type OutboundResponse, request } from '../outbound.ts';
import { checkMessage, MailError, type MailMessage, type MailTransport } from './message.ts';

interface MailApiOptions {
  baseUrl: string;
  apiKey: string;
  /** Milliseconds for one attempt; well below the lease of a claimed mail. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_PAUSE_SECONDS = 60;
/** Transient 4xx: a key that may be corrected, a timeout, the same mail being sent concurrently, too many requests. */
const TRANSIENT = new Set([401, 403, 408, 409, 429]);

/** Resend's HTTP API. A repeated idempotency key within 24 hours gets the same response and sends nothing. */
export function createApiTransport(options: MailApiOptions): MailTransport {
  const url = `${options.baseUrl.replace(/\/+$/, '')}/emails`;

  const post = async (message: MailMessage, idempotencyKey: string): Promise<OutboundResponse> => {
    const { from, to, subject, text, html } = message;
    try {
      return await request(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${options.apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: JSON.stringify({ from, to: [to], subject, text, html }),
        timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      });
    } catch (error) {
      const reason = error instanceof OutboundError ? error.reason : 'unreachable';
      throw new MailError({ reason, permanent: false });
    }
  };

  return {
    name: 'api',
    async send(message, { idempotencyKey }) {
      checkMessage(message);
      const { status, headers } = await post(message, idempotencyKey);
      if (status >= 200 && status < 300) return;
      throw new MailError({
        reason: `http_${status}`,
        permanent: status >= 400 && status < 500 && !TRANSIENT.has(status),
        ...(status === 429 && { retryAfter: pause(headers.get('retry-after')) }),
      });
    },
    async close() {},
  };
}

const pause = (header: string | null): number => {
  const seconds = /^\d{1,9}$/.test(header ?? '') ? Number(header) : 1;
  return Math.min(Math.max(seconds, 1), MAX_PAUSE_SECONDS);
};
