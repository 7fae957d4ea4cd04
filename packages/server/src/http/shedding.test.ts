import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SETTINGS } from '../platform/config/settings.ts';
import { isNeverShed, watchLoad } from './shedding.ts';

const { fallback } = SETTINGS.OVERLOAD_DELAY_MS;

let now = 0;
beforeEach(() => {
  now = 0;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Whether the service is overloaded after each of these successive delays between two ticks. */
function ticking(waits: readonly number[], maxDelayMs: number = fallback): boolean[] {
  const load = watchLoad({ maxDelayMs });
  const seen = waits.map((wait) => {
    now += wait;
    vi.advanceTimersByTime(20);
    return load.overloaded();
  });
  load.stop();
  return seen;
}

/** The delays of all ticks between two checks. */
const quiet = Array<number>(13).fill(20);

it('load shedding ignores a single long pause of the event loop; two in a row are an overload until a check finds no pause', () => {
  expect(ticking([501, ...quiet, 501])).not.toContain(true);
  expect(ticking([501, 501, 900, ...quiet, 501])).toEqual([false, true, true, ...Array(12).fill(true), false, false]);
});

it('load shedding ignores one pause among many ticks, but not two that are closer together', () => {
  const many = Array<number>(11).fill(20);
  expect(ticking([...many, 600, ...many, 600])).not.toContain(true);
  const few = Array<number>(5).fill(20);
  expect(ticking([...few, 600, ...few, 600]).at(-1)).toBe(true);
});

it('load shedding tolerates an event-loop delay of half a second', () => {
  expect(ticking([500, 500, 500])).not.toContain(true);
});

it('load shedding does not add up event-loop delays of iterations that are almost as long as the check interval', () => {
  expect(ticking([240, 240, 240, 240, 240, 240], 300)).not.toContain(true);
  expect(ticking([240, 240, 240, 240, 240, 240], 230).at(-1)).toBe(true);
});

it('load shedding tolerates longer delays with a higher maxDelayMs', () => {
  expect(ticking([9_000, 10_001, 10_001], 10_000)).toEqual([false, false, true]);
});

/** The response to a request; a pipelined one waits for the connection. */
function openResponse({ isPipelined = false } = {}): ServerResponse {
  const socket = new Socket();
  const response = new ServerResponse(new IncomingMessage(socket));
  if (!isPipelined) response.assignSocket(socket);
  return response;
}

it('the service is overloaded with more than 2,000 concurrent requests, whatever the delay, until one is over', async () => {
  const load = watchLoad({ maxDelayMs: fallback });
  for (let count = 0; count < 2_000; count++) load.count(openResponse());
  expect(load.overloaded()).toBe(false);
  const last = openResponse();
  load.count(last);
  expect(load.overloaded()).toBe(true);
  last.socket!.destroy();
  await once(last, 'close');
  expect(load.overloaded()).toBe(false);
  load.stop();
});

it('load shedding counts one request of a connection, however many the client pipelines', () => {
  const load = watchLoad({ maxDelayMs: fallback });
  for (let count = 0; count < 3_000; count++) load.count(openResponse({ isPipelined: true }));
  expect(load.overloaded()).toBe(false);
  load.stop();
});

it('probes and endpoints that verifiers poll are never shed, also with a query string', () => {
  const spared = ['/healthz', '/readyz', '/readyz?verbose', '/.well-known/jwks.json', '/.well-known/anything?after=x'];
  const shed = ['/', '/metrics', '/v1/auth/session', '/healthz/more', '/v1/.well-known/jwks.json', '/x?/healthz'];
  expect([...spared, ...shed].filter(isNeverShed)).toEqual(spared);
});
