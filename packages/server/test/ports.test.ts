import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';

/** Loads the module again, with its own block of ports, as another process would. */
const load = (process: string): Promise<typeof import('./ports.ts')> =>
  import(/* @vite-ignore */ `./ports.ts?${process}`);

it('no port is given to two concurrent callers, in this process or in another', async () => {
  const [one, other] = [await load('one'), await load('other')];
  const asked = Array.from({ length: 60 }, () => [one.freePort(), other.freePort(), one.freePorts(1)]).flat();
  const ports = await Promise.all(asked);
  expect(new Set(ports).size).toBe(180);
  // Linux uses ports from 32768 for outgoing connections; `fetch` refuses ports up to 10080.
  expect(Math.max(...ports)).toBeLessThan(32_768);
  expect(Math.min(...ports)).toBeGreaterThan(10_080);
});

it('given ports are consecutive, skip those in use, and start over after the last', async () => {
  const { freePorts } = await load('third');
  const first = await freePorts(3);
  const taken = createServer().listen(first + 1, '127.0.0.1');
  await once(taken, 'listening');
  const rows: number[] = [];
  for (let row = 0; row < 80; row += 1) rows.push(await freePorts(3));
  taken.close();
  expect(new Set(rows).size).toBeLessThan(80);
  expect(rows).not.toContain(first);
});
