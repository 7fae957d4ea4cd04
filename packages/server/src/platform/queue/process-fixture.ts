import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import { connectDatabase } from '../db/connect.ts';
import { addDelivery, createTestQueue, listDeliveries } from './queue-fixture.ts';

/** A process that delivers the messages of a test. An attempt ends when `together` processes have each started one. */
const [connectionString, together] = process.argv.slice(2);
const { db } = connectDatabase({
  address: { connectionString: connectionString! },
  poolSize: 5,
  onIdleError: () => {},
});
createTestQueue(db, {
  clock: systemClock,
  async attempt({ id }) {
    await addDelivery(db, id);
    while (new Set((await listDeliveries(db)).map(({ pid }) => pid)).size < Number(together)) await sleep(20);
    return { result: 'done' };
  },
}).start();
// The loop of the queue does not keep the process alive; reading stdin does, until the test closes it.
process.stdin.resume().on('end', () => process.exit());
