import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The number of ids with one prefix: 6 hexadecimal digits. */
const IDS_PER_PREFIX = 0x100_0000;

/**
 * Uses `X-Request-Id` if it is a UUID, otherwise generates an id. It is written to logs and audit rows, so nothing else
 * is accepted. Generated ids share a random prefix and count in the last six digits: they must be unique, not secret.
 */
export function requestIds(): (request: IncomingMessage) => string {
  let prefix = '';
  let count = IDS_PER_PREFIX;
  return (request) => {
    const given = request.headers['x-request-id'];
    if (typeof given === 'string' && UUID.test(given)) return given.toLowerCase();
    if (count === IDS_PER_PREFIX) {
      prefix = randomUUID().slice(0, -6);
      count = 0;
    }
    // The extra leading digit keeps zeros; formatting a small number is ten times faster than padding.
    return prefix + (IDS_PER_PREFIX + count++).toString(16).slice(1);
  };
}
