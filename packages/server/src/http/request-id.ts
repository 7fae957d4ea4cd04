import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** 6 hexadecimal digits; then the first part is made anew. */
const ROUND = 0x100_0000;

/**
 * Taken from `X-Request-Id` when that is a UUID, made otherwise: it goes to logs and audit rows, so it must not carry
 * anything else. Ours share a random first part and count in the last six digits: they need to be unique, not secret.
 */
export function requestIds(): (request: IncomingMessage) => string {
  let shared = '';
  let count = ROUND;
  return (request) => {
    const given = request.headers['x-request-id'];
    if (typeof given === 'string' && UUID.test(given)) return given.toLowerCase();
    if (count === ROUND) {
      shared = randomUUID().slice(0, -6);
      count = 0;
    }
    // A digit more, so that none of the others is left out; as a small number it is written out ten times faster.
    return shared + (ROUND + count++).toString(16).slice(1);
  };
}
