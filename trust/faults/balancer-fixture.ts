import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../packages/server/test/process.ts';
import { rounds } from '../effort.ts';

interface Balancer {
  readonly url: string;
  replace(old: Server, fresh: Server): void;
  sendsTo(server: Server): boolean;
  /** How often a replica stopped responding without having reported 503 before. */
  readonly surprises: number;
  close(): void;
}

/** A minimal load balancer: polls each /readyz and sends requests to the ready replicas in turn, without retries. */
export async function startBalancer(first: readonly Server[]): Promise<Balancer> {
  let replicas = [...first];
  let ready = [...first];
  let next = 0;
  let closed = false;

  let surprises = 0;

  const isReady = async (replica: Server): Promise<boolean> => {
    try {
      return (await fetch(`${replica.url}/readyz`)).status === 200;
    } catch {
      if (ready.includes(replica)) surprises += 1;
      return false;
    }
  };
  const checkAll = async (): Promise<void> => {
    const asked = replicas;
    const answers = await Promise.all(asked.map(isReady));
    ready = asked.filter((replica, index) => answers[index] && replicas.includes(replica));
  };
  const watch = async (): Promise<void> => {
    for (; !closed; await sleep(rounds(100, 25))) await checkAll();
  };
  const watching = watch();
  watching.catch(() => {});

  const server = createServer((incoming, outgoing) => {
    const target = ready[next++ % ready.length];
    if (!target) return void outgoing.writeHead(502).end();
    const { method, headers, url } = incoming;
    const onward = request(`${target.url}${url}`, { method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replace(old, fresh) {
      // The old replica is polled until it exits.
      replicas = [...replicas, fresh];
      void old.finished.then(() => {
        replicas = replicas.filter((replica) => replica !== old);
      });
    },
    sendsTo: (one) => ready.includes(one),
    get surprises() {
      return surprises;
    },
    close() {
      closed = true;
      server.close();
      server.closeAllConnections();
    },
  };
}
