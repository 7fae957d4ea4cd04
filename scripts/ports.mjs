import { createServer } from 'node:net';

export function isTaken(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.on('error', ({ code }) => resolve(code === 'EADDRINUSE'));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)));
  });
}
