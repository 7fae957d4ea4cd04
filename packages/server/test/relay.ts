import { connect, createServer, type Socket } from 'node:net';
import type { TestServer } from './postgres.ts';

/** What clients sent to the database: the startup parameters and the following messages. */
interface Recorded {
  readonly startup: string[];
  readonly messages: { readonly type: string; readonly text: string }[];
}

export interface Relay {
  readonly port: number;
  readonly recorded: Recorded;
  close(): Promise<void>;
}

export async function startRelay({ host, port }: TestServer): Promise<Relay> {
  const recorded: Recorded = { startup: [], messages: [] };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(`${host}/.s.PGSQL.${port}`);
    const listen = createRecorder(recorded);
    client.on('data', (bytes) => listen(bytes));
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    recorded,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The first message has no type byte. Of the others, only Parse (statement name first) and Query are recorded. */
function createRecorder({ startup, messages }: Recorded): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let begun = false;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = begun ? 1 : 0;
      if (rest.length < head + 4 || rest.length < head + rest.readInt32BE(head)) return;
      const end = head + rest.readInt32BE(head);
      const text = rest.toString('utf8', head + 4, end);
      if (!begun) startup.push(...text.slice(4).split('\0'));
      else if ('PQ'.includes(rest.toString('utf8', 0, 1))) messages.push({ type: rest.toString('utf8', 0, 1), text });
      begun = true;
      rest = rest.subarray(end);
    }
  };
}
