import { writeSync } from 'node:fs';
import pg from 'pg';
import { openEmbedded } from './embedded.ts';
import { NAME } from './name-fixture.ts';
import type { Overrides } from './site.ts';

/** For tests: a database owner to be killed. With `writers` it inserts numbers and prints the acknowledged ones. */
interface Order {
  dataDir: string;
  role: 'server' | 'tool';
  overrides?: Overrides;
  writers?: number;
}

const order = JSON.parse(process.argv[2] ?? '{}') as Order;
const silent = { info: () => undefined, warn: () => undefined };

function say(message: object): void {
  writeSync(1, `${JSON.stringify(message)}\n`);
}

async function write(connection: pg.ClientConfig, writer: number): Promise<void> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  await client.connect();
  for (;;) {
    const { rows } = await client.query('insert into acknowledged (writer) values ($1) returning n', [writer]);
    say({ acknowledged: Number(rows[0].n) });
  }
}

try {
  const database = await openEmbedded({ ...order, name: NAME, log: silent }, order.overrides);
  say({ ready: true, connection: database.connection, adopted: database.adopted });
  const writers = Array.from({ length: order.writers ?? 0 }, (_, writer) => write(database.connection, writer));
  process.stdin.once('end', () => void database.close()).resume();
  await Promise.all(writers);
} catch (error) {
  say({ error: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
}
