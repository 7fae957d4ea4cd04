import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../../packages/server/test/process.ts';

interface Balancer {
  readonly url: string;
  replace(old: Server, fresh: Server): void;
  /** Whether requests are sent to it now. */
  sendsTo(server: Server): boolean;
  /** How often one was gone that had not said before that it would leave. */
  readonly surprises: number;
  close(): void;
}

/** As small as one can be: it looks at each /readyz, and sends every request to the next replica that is ready. It tries nothing twice. */
export async function startBalancer(first: readonly Server[]): Promise<Balancer> {
  let members = [...first];
  let ready = [...first];
  let turn = 0;
  let closed = false;

  let surprises = 0;

  const isReady = async (member: Server): Promise<boolean> => {
    try {
      return (await fetch(`${member.url}/readyz`)).status === 200;
    } catch {
      if (ready.includes(member)) surprises += 1;
      return false;
    }
  };
  const look = async (): Promise<void> => {
    const asked = members;
    const answers = await Promise.all(asked.map(isReady));
    ready = asked.filter((member, index) => answers[index] && members.includes(member));
  };
  const watch = async (): Promise<void> => {
    for (; !closed; await sleep(25)) await look();
  };
  const watching = watch();
  watching.catch(() => {});

  const server = createServer((incoming, outgoing) => {
    const target = ready[turn++ % ready.length];
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
      // The old one is looked at until it says itself that it leaves.
      members = [...members, fresh];
      void old.finished.then(() => {
        members = members.filter((member) => member !== old);
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
