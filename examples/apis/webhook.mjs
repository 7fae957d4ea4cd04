// @ts-check
// What the three APIs do with a webhook of the service.
import { verifyWebhook, WebhookVerificationError } from '@gatehouse/verify/webhooks';
import { webhookSecrets } from './settings.mjs';

/** @typedef {ReturnType<typeof import('./notes.mjs').createNotes>} Notes */

/**
 * Removes the notes of a user who is no longer a member. The event may arrive twice: there is nothing to remove then.
 * Returns the status of the response.
 * @param {Notes} notes @param {import('@gatehouse/verify/webhooks').WebhookHeaders} headers
 * @param {string | Uint8Array} body
 */
export function receiveWebhook(notes, headers, body) {
  if (webhookSecrets.length === 0) return 404;
  try {
    const { type, data } = verifyWebhook(headers, body, webhookSecrets);
    if (type === 'member.removed') notes.removeBy(data.organization_id, data.resource_id);
    return 204;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.status;
    throw error;
  }
}
