import type { Socket } from 'node:net';

/** Browsers and proxies ask, and wait for the answer; what comes on top of this many is a flood. */
const MOST_UNANSWERED = 16;

const unanswered = new WeakMap<object, number>();

/** Takes a place for a request on its connection. False: there is none; its client asks and asks, and does not read. */
export function enterLine(connection: object): boolean {
  const before = unanswered.get(connection) ?? 0;
  if (before >= MOST_UNANSWERED) return false;
  unanswered.set(connection, before + 1);
  return true;
}

export function leaveLine(connection: object): void {
  unanswered.set(connection, (unanswered.get(connection) ?? 1) - 1);
}

/**
 * Closes it at once. Node's parser goes on through all that has arrived already, and each request it finds would be routed: a
 * packet of two thousand, for some 50 ms. Nothing in Node's public interface stops that.
 */
export function hangUp(connection: Socket & { parser?: { onIncoming?: (() => number) | null } | null }): void {
  if (connection.parser?.onIncoming) connection.parser.onIncoming = ignore;
  connection.destroy();
}

/** What the parser takes for: look for no body. */
const ignore = (): number => 1;
