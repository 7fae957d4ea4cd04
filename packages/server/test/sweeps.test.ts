import { expect, it } from 'vitest';
import { startTestApp } from './harness.ts';

it('every sweep of the service is a statement that the database takes', async () => {
  const app = await startTestApp();
  await app.sweeper.pass();
  expect(app.logs.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  await app.close();
});
