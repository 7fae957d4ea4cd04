/** Why a webhook request is rejected. Switch on it; the message is for humans and logs. */
export type WebhookRejection =
  | 'headers_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'body_invalid';

/**
 * The error for every request that `verifyWebhook` rejects. Its message contains neither the secret nor the body.
 *
 * | reason | meaning |
 * |---|---|
 * | `headers_missing` | `webhook-id`, `webhook-timestamp` or `webhook-signature` is missing or occurs twice |
 * | `timestamp_invalid` | `webhook-timestamp` is not a number of seconds |
 * | `timestamp_too_old` | the request was sent more than 5 minutes ago, or the clock of this machine is fast |
 * | `timestamp_too_new` | the request was sent more than 5 minutes from now, or the clock of this machine is slow |
 * | `signature_mismatch` | no signature was made with one of the secrets: another sender, or the body was changed |
 * | `body_invalid` | there is no body, or the signature is right, but the body is not JSON |
 *
 * @example
 * ```ts
 * import { verifyWebhook, WebhookVerificationError } from '@gatehouse/verify/webhooks';
 *
 * try {
 *   verifyWebhook({}, '{}', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
 * } catch (error) {
 *   if (!(error instanceof WebhookVerificationError)) throw error;
 *   console.log(error.status, error.reason); // 401 headers_missing
 * }
 * ```
 */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookRejection;
  /** The HTTP status to answer with. Express and Fastify do so if the error is not caught. */
  readonly status = 401;

  constructor(reason: WebhookRejection, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}
