import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Since Node 26 a connection that has not asked for anything yet counts as idle. One that is just being used for the first time would be
 * cut off while the service goes: it stays, as it did before, until it has its answer or everything is closed.
 */
export function keepUnusedSockets(server: Server): void {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  const closeIdle = server.closeIdleConnections.bind(server);
  // `close` calls it too, and a framework may.
  server.closeIdleConnections = () => {
    for (const socket of unused) socket.destroy = () => socket;
    closeIdle();
    for (const socket of unused) Reflect.deleteProperty(socket, 'destroy');
  };
}
