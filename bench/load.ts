import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, createReader } from './answer.ts';

export interface Load {
  readonly port: number;
  readonly connections: number;
  /** The bytes of the next request of this lane. A lane has one connection and at most one running request. */
  next(lane: number): Buffer;
  /**
   * Called with each 2xx response; `false` counts as an error. For requests that depend on the previous response, or to
   * check the content. If unset, responses are only counted.
   */
  read?: ((lane: number, answer: Answer) => boolean | undefined) | undefined;
  /** Requests per second, sent whether answered or not. If unset, each lane sends its next request immediately. */
  readonly perSecond?: number | undefined;
}

export interface Tally {
  readonly answers: number;
  /**
   * From the first request to the last response. No request is sent after the given seconds, but requests that are then
   * running count in full, so that a server that answers everything at the end is not rated as answering nothing.
   */
  readonly seconds: number;
  /** Milliseconds from request to response, ascending. */
  readonly times: Float64Array;
  readonly statuses: ReadonlyMap<number, number>;
  /** Requests without a response: the connection was lost or timed out. */
  readonly lost: number;
  /** Responses that `read` rejected. */
  readonly wrong: number;
  /** Requests that were due while no lane was free. */
  readonly unsent: number;
}

/** How long running requests may take after the last one was sent. */
const REQUEST_TIMEOUT_MS = 30_000;
const PACE_MS = 4;

interface Lane {
  socket: Socket | undefined;
  sentAt: number;
  busy: boolean;
}

/** Uses little CPU, which it shares with the measured service: sends prepared bytes, reads only status and length. */
export async function load(target: Load, seconds: number): Promise<Tally> {
  const { read } = target;
  // All sockets share the buffer, because received bytes are processed before the next event.
  const buffer = Buffer.allocUnsafe(256 * 1024);
  const lanes = Array.from({ length: target.connections }, (): Lane => ({ socket: undefined, sentAt: 0, busy: false }));
  const idle: number[] = [];
  const statuses = new Map<number, number>();
  let times = new Float64Array(1 << 16);
  let answers = 0;
  let lastAt = 0;
  let lost = 0;
  let wrong = 0;
  let unsent = 0;
  let begun = 0;
  let end = Number.POSITIVE_INFINITY;
  let running = 0;
  let finish = () => {};
  let fail = (_error: unknown) => {};

  const send = (index: number, now: number): void => {
    const lane = lanes[index]!;
    lane.sentAt = now;
    lane.busy = true;
    running++;
    try {
      lane.socket!.write(target.next(index));
    } catch (error) {
      fail(error);
    }
  };
  const proceed = (index: number, now: number): void => {
    if (target.perSecond !== undefined) idle.push(index);
    else if (now < end) send(index, now);
    if (now >= end && running === 0) finish();
  };
  const settle = (index: number, status: number, answer: (() => Answer) | undefined): void => {
    const lane = lanes[index]!;
    // Ignores data while no request is running: servers send 408 to connections that were silent for too long.
    if (!lane.busy) return;
    const now = performance.now();
    lane.busy = false;
    running--;
    lastAt = now;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (answers === times.length) {
      const more = new Float64Array(times.length * 2);
      more.set(times);
      times = more;
    }
    times[answers++] = now - lane.sentAt;
    try {
      if (answer && status < 300 && read!(index, answer()) === false) wrong++;
      proceed(index, now);
    } catch (error) {
      fail(error);
    }
  };

  /** Resolves when connected. A connection that is lost later is replaced. */
  const open = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const lane = lanes[index]!;
      const reader = createReader(read !== undefined);
      const callback = (bytes: number): boolean => {
        const status = reader.feed(buffer.subarray(0, bytes));
        if (status !== 0) settle(index, status, read && reader.last);
        return true;
      };
      const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
      socket.on('error', reject);
      socket.on('connect', () => {
        lane.socket = socket;
        socket.on('close', () => replace(index));
        resolve();
      });
    });
  const replace = async (index: number): Promise<void> => {
    const lane = lanes[index]!;
    lane.socket = undefined;
    if (lane.busy) {
      lane.busy = false;
      running--;
      lost++;
    } else if (idle.includes(index)) {
      idle.splice(idle.indexOf(index), 1);
    }
    while (performance.now() < end) {
      await open(index).catch(() => sleep(20));
      if (lane.socket) return proceed(index, performance.now());
    }
    if (running === 0) finish();
  };
  const pace = (perSecond: number): NodeJS.Timeout => {
    let due = 0;
    return setInterval(() => {
      const now = performance.now();
      if (now >= end) return;
      for (const until = Math.floor(((now - begun) * perSecond) / 1000); due < until; due++) {
        // Lanes are used in rotation, so that no connection is silent for long.
        const index = idle.shift();
        if (index === undefined) unsent++;
        else send(index, now);
      }
    }, PACE_MS);
  };

  let pacer: NodeJS.Timeout | undefined;
  try {
    await Promise.all(lanes.map((_, index) => open(index)));
    begun = performance.now();
    end = begun + seconds * 1000;
    await new Promise<void>((resolve, reject) => {
      finish = resolve;
      fail = reject;
      setTimeout(resolve, seconds * 1000 + REQUEST_TIMEOUT_MS).unref();
      // If no request is running at the end, no response will resolve the promise.
      setTimeout(() => running === 0 && resolve(), seconds * 1000 + 1);
      if (target.perSecond !== undefined) pacer = pace(target.perSecond);
      for (const index of lanes.keys()) proceed(index, begun);
    });
    lost += running;
  } finally {
    end = 0;
    clearInterval(pacer);
    for (const { socket } of lanes) socket?.removeAllListeners('close').destroy();
  }
  const elapsed = Math.max(lastAt - begun, 1) / 1000;
  return { answers, seconds: elapsed, times: times.slice(0, answers).sort(), statuses, lost, wrong, unsent };
}

export const percentile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export function request(
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Buffer {
  const lines = Object.entries({
    host: '127.0.0.1',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
    ...(method === 'POST' && { 'content-length': String(Buffer.byteLength(body ?? '')) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}
