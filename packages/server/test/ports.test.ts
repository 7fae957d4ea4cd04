import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';

/** As another process has it: loaded once more, it has a block of its own. */
const load = (process: string): Promise<typeof import('./ports.ts')> =>
  import(/* @vite-ignore */ `./ports.ts?${process}`);

it('no port is given to two who ask at once, here or in another process', async () => {
  const [one, other] = [await load('one'), await load('other')];
  const asked = Array.from({ length: 60 }, () => [one.freePort(), other.freePort(), one.freePorts(1)]).flat();
  const ports = await Promise.all(asked);
  expect(new Set(ports).size).toBe(180);
  // Where Linux begins to take those of outgoing connections, and the last one that `fetch` refuses.
  expect(Math.max(...ports)).toBeLessThan(32_768);
  expect(Math.min(...ports)).toBeGreaterThan(10_080);
});

it('so many in a row, and none that another program listens on, also when all have been given once', async () => {
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
