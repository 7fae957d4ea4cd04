import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Since Node 26, connections without any request count as idle: a shutdown would cut them before their first use. */
export function keepUnusedSockets(server: Server): void {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  const closeIdle = server.closeIdleConnections.bind(server);
  // `close` and the framework call this method, too.
  server.closeIdleConnections = () => {
    for (const socket of unused) socket.destroy = () => socket;
    closeIdle();
    for (const socket of unused) Reflect.deleteProperty(socket, 'destroy');
  };
}
