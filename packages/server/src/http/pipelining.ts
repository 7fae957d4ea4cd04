import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers and proxies ask, and wait for the answer; what comes on top of this many is a flood. */
const MOST_UNANSWERED = 16;

const unanswered = new WeakMap<Socket, number>();
const waiting = new WeakMap<Socket, Set<() => void>>();

/**
 * Once, when a request is answered or its connection is gone. Both are listened to: of requests that came one behind the other,
 * only the first holds the connection, and the answers of the others never say that they are closed.
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

/** Takes a place for a request on its connection. False: there is none; its client asks and asks, and does not read. */
export function enterLine(connection: Socket, answer: ServerResponse): boolean {
  const before = unanswered.get(connection) ?? 0;
  if (before >= MOST_UNANSWERED) return false;
  unanswered.set(connection, before + 1);
  whenOver(connection, answer, () => unanswered.set(connection, unanswered.get(connection)! - 1));
  return true;
}

type Parsed = Socket & { parser?: { onIncoming?: (() => number) | null } | null };

/**
 * Node's parser goes on through all that has arrived already, and each request it finds would be routed: a packet of two
 * thousand, for some 50 ms. Nothing in Node's public interface stops that.
 */
export function stopReading({ parser }: Parsed): void {
  if (parser?.onIncoming) parser.onIncoming = ignore;
}

/** What the parser takes for: look for no body. */
const ignore = (): number => 1;

/** At once. */
export function hangUp(connection: Socket): void {
  stopReading(connection);
  connection.destroy();
}
