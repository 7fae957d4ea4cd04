import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { requests } from './contestant.ts';
import { request } from './load.ts';

it('counts a response with the wrong content as an error, even if its status is 200', async () => {
  let [right, wrong] = [0, 0];
  const server = createServer((_, response) => {
    const isRight = (right + wrong) % 3 !== 0;
    if (isRight) right++;
    else wrong++;
    response.end(isRight ? 'expected' : 'unexpected');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const prepared = request('GET', '/');
  const contestant = requests({
    name: 'server',
    pids: [],
    port: (server.address() as AddressInfo).port,
    connections: 2,
    next: () => prepared,
    read: (_, { body }) => body === 'expected',
  });
  const { total, errors } = await contestant.shoot(0.1);
  expect(wrong).toBeGreaterThan(0);
  expect([total, errors]).toEqual([right + wrong, wrong]);
});
