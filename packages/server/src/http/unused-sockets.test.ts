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

it('a connection without any request is kept when idle connections are closed', async () => {
  const client = await arrive();
  server.closeIdleConnections();
  client.write(REQUEST);
  expect(await isAnswered(client)).toBe(true);
});

it('a connection without any request is kept when the port is closed, and a request sent on it later is answered', async () => {
  const client = await arrive();
  server.close();
  client.write(REQUEST);
  expect(await isAnswered(client)).toBe(true);
});

it('a connection whose request was answered is closed; closeAllConnections closes every connection', async () => {
  const [asked, silent] = [await arrive(), await arrive()];
  asked.write(REQUEST);
  await isAnswered(asked);
  server.closeIdleConnections();
  await once(asked, 'close');
  server.closeAllConnections();
  await once(silent, 'close');
});
