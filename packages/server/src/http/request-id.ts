import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Taken from `X-Request-Id` when that is a UUID, made otherwise: it goes to logs and audit rows, so it must not carry
 * anything else. Ours share the random first part of the process and count in the last: they need to be unique, not secret.
 */
export function requestIds(): (request: IncomingMessage) => string {
  const process = randomUUID().slice(0, 24);
  let count = Math.floor(Math.random() * 2 ** 40);
  return (request) => {
    const given = request.headers['x-request-id'];
    if (typeof given === 'string' && UUID.test(given)) return given.toLowerCase();
    count++;
    return process + count.toString(16).padStart(12, '0');
  };
}
