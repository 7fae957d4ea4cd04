import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keepUnusedSockets } from './unused-sockets.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let server: Server;
beforeEach(async () => {
  server = createServer((_request, response) => response.end('answered'));
  keepUnusedSockets(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function arrive(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(server, 'connection');
  return client;
}

const isAnswered = async (client: Socket): Promise<boolean> =>
  String((await once(client, 'data'))[0]).includes('200 OK');

it('a connection that is about to ask is not idle', async () => {
  const client = await arrive();
  server.closeIdleConnections();
  client.write(REQUEST);
  expect(await isAnswered(client)).toBe(true);
});

it('nor is it when the port is closed', async () => {
  const client = await arrive();
  server.close();
  client.write(REQUEST);
  expect(await isAnswered(client)).toBe(true);
});

it('one that has its answer is closed, and so are all when all are meant', async () => {
  const [asked, silent] = [await arrive(), await arrive()];
  asked.write(REQUEST);
  await isAnswered(asked);
  server.closeIdleConnections();
  await once(asked, 'close');
  server.closeAllConnections();
  await once(silent, 'close');
});
