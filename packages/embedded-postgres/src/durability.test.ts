import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killCluster, makeWorkshop, query, type Workshop } from './workshop-fixture.ts';

const ROUNDS = 6;

let workshop: Workshop;
beforeAll(async () => {
  workshop = await makeWorkshop();
});
afterAll(() => workshop.clean());

describe('a kill -9 of everything', () => {
  it('a kill -9 of all processes loses no acknowledged write, in several rounds at random moments', async () => {
    const dataDir = await workshop.dataDir();
    const first = await workshop.open(dataDir, 'tool');
    await query(first, 'create table acknowledged (n bigserial primary key, writer int)');
    await first.close();
    const acknowledged = new Set<number>();

    async function checkAll(database: Parameters<typeof query>[0]): Promise<void> {
      // Copied before the query, because the writers add more in the meantime.
      const expected = [...acknowledged];
      const found = new Set((await query(database, 'select n from acknowledged')).map(({ n }) => Number(n)));
      expect(expected.filter((n) => !found.has(n))).toEqual([]);
    }

    for (let round = 0; round < ROUNDS; round++) {
      const owner = workshop.spawnOwner({ dataDir, role: 'server', writers: 4 });
      if (round % 3 === 2) {
        // The random delay may end while PostgreSQL is starting or recovering.
        await sleep(150 + Math.random() * 300);
      } else {
        const ready = await owner.hears('ready');
        expect(ready).toBeDefined();
        await checkAll(ready as unknown as Parameters<typeof query>[0]);
        await owner.hears('acknowledged');
        await sleep(Math.random() * 150);
      }
      // The order of the kills alternates: if the owner is killed last, its supervisor may start the database again.
      if (round % 2) owner.child.kill('SIGKILL');
      const killed = killCluster(join(dataDir, 'postgres'));
      await sleep(Math.random() * 20);
      owner.child.kill('SIGKILL');
      await owner.gone;
      await killed;
      await killCluster(join(dataDir, 'postgres'));
      for (const { acknowledged: n } of owner.messages) if (n !== undefined) acknowledged.add(Number(n));
    }

    const last = await workshop.open(dataDir);
    await checkAll(last);
    expect(acknowledged.size).toBeGreaterThan(ROUNDS);
    await last.close();
  });
});
