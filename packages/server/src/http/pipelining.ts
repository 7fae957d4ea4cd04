import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers and proxies wait for a response before the next request; more pipelined requests than this are a flood. */
const MAX_UNANSWERED = 16;

const unanswered = new WeakMap<Socket, number>();
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `then` once, when a request is answered or its connection has closed. Both events are needed: of pipelined
 * requests, only the first owns the connection, and the responses of the others never emit `close`.
 */
export function whenOver(connection: Socket, answer: ServerResponse, then: () => void): void {
  if (connection.closed) {
    then();
    return;
  }
  const ends = waiting.get(connection) ?? listenTo(connection);
  const end = (): void => {
    if (ends.delete(end)) then();
  };
  ends.add(end);
  answer.once('close', end);
}

function listenTo(connection: Socket): Set<() => void> {
  const ends = new Set<() => void>();
  waiting.set(connection, ends);
  connection.once('close', () => {
    for (const end of [...ends]) end();
  });
  return ends;
}

/** Counts a request on its connection. Returns false if too many are unanswered, because the client does not read. */
export function enterLine(connection: Socket, answer: ServerResponse): boolean {
  const before = unanswered.get(connection) ?? 0;
  if (before >= MAX_UNANSWERED) return false;
  unanswered.set(connection, before + 1);
  whenOver(connection, answer, () => unanswered.set(connection, unanswered.get(connection)! - 1));
  return true;
}

type Parsed = Socket & { parser?: { onIncoming?: (() => number) | null } | null };

/**
 * Ignores further requests on this connection. Otherwise Node's parser continues with everything received, and each
 * request is routed: two thousand in a packet take some 50 ms. Node has no public API for this.
 */
export function stopReading({ parser }: Parsed): void {
  if (parser?.onIncoming) parser.onIncoming = ignore;
}

/** Tells the parser to expect no body. */
const ignore = (): number => 1;

export function hangUp(connection: Socket): void {
  stopReading(connection);
  connection.destroy();
}
