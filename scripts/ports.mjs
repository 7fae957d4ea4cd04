import { createServer } from 'node:net';

/** Whether another program listens there, on this machine's own address. */
export function isTaken(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on('error', ({ code }) => resolve(code === 'EADDRINUSE'));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)));
  });
}
