import { createHmac, randomBytes } from 'node:crypto';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { seal, unseal } from '../../platform/crypto/seal.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

const binding = (id: string) => ({ purpose: 'webhook', row: id }) as const;

/** `whsec_` and base64, as Standard Webhooks 1.0 defines it. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/** `id` is the id of the secret's row. */
export const sealWebhookSecret = (keyring: Keyring, id: string, secret: string): string =>
  seal(keyring, binding(id), secret);

/** Returns undefined if the secret was sealed under a JWT_SECRET that is no longer known. */
export const openWebhookSecret = (keyring: Keyring, id: string, sealed: string): string | undefined =>
  unseal(keyring, binding(id), sealed)?.toString('utf8');

interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a delivery (Standard Webhooks 1.0). Each secret adds a signature; spaces separate them. */
export const signatureHeaders = (
  secrets: readonly string[],
  { id, timestamp, body }: SignedMessage,
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' '),
});
