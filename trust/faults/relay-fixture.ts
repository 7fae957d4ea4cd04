import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/server/test/ports.ts';

export interface Relay {
  readonly port: number;
  /** Resumes forwarding. With `lost`, earlier connections stay dead, as after a firewall dropped them. */
  pass(options?: { lost?: boolean }): Promise<void>;
  /** Resets every connection. New ones are accepted. */
  cut(): void;
  /** Resets every connection and refuses new ones. */
  refuse(): Promise<void>;
  /** Forwards nothing, without closing connections. */
  swallow(): void;
  /** Delays each packet in both directions. */
  slow(ms: number): void;
  close(): Promise<void>;
}

const connectTo = (target: string | number): Socket =>
  typeof target === 'number' ? dial(target, '127.0.0.1') : dial(target);

interface Link {
  readonly ends: readonly [Socket, Socket];
  lost: boolean;
  /** Whether the connection existed when forwarding stopped. */
  cutOff: boolean;
}

/** `target` is a port or a Unix socket, read for each connection, because a restarted database may have another one. */
export async function startRelay(target: () => string | number): Promise<Relay> {
  const links = new Set<Link>();
  let delay = 0;
  let opened = Promise.resolve();
  let release = () => {};

  const accept = (client: Socket): void => {
    const link: Link = { ends: [client, connectTo(target())], lost: false, cutOff: false };
    links.add(link);
    carry(link, 0);
    carry(link, 1);
  };

  const carry = (link: Link, from: 0 | 1): void => {
    const source = link.ends[from];
    const sink = link.ends[1 - from]!;
    // Chunks are chained, so that delays do not change their order.
    let queue = Promise.resolve();
    const later = (act: () => void): void => {
      const due = delay;
      queue = queue.then(async () => {
        if (due > 0) await sleep(due);
        await opened;
        if (!link.lost) act();
      });
    };
    source.on('data', (bytes) => later(() => sink.write(bytes)));
    source.on('error', () => {});
    source.on('close', () =>
      later(() => {
        sink.destroy();
        links.delete(link);
      }),
    );
  };

  const cut = (): void => {
    for (const { ends } of links) {
      ends[0].resetAndDestroy();
      ends[1].destroy();
    }
    links.clear();
  };

  let server: Server | undefined;
  const port = await freePort();
  const listen = async (): Promise<void> => {
    if (server) return;
    const fresh = createServer(accept);
    await new Promise<void>((resolve, reject) => fresh.once('error', reject).listen(port, '127.0.0.1', resolve));
    server = fresh;
  };
  const refuse = async (): Promise<void> => {
    const closing = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    server = undefined;
    release();
    cut();
    await closing;
  };

  await listen();
  return {
    port,
    async pass({ lost = false } = {}) {
      delay = 0;
      if (lost) for (const link of links) link.lost = link.cutOff;
      release();
      await listen();
    },
    cut,
    refuse,
    swallow() {
      for (const link of links) link.cutOff = true;
      opened = new Promise<void>((resolve) => {
        release = resolve;
      });
    },
    slow(ms) {
      delay = ms;
    },
    close: refuse,
  };
}
