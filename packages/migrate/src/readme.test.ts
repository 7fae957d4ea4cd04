import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runExample } from '../../embedded-postgres/src/readme-fixture.ts';
import { createDatabase } from './database-fixture.ts';

it('the example of the README runs', async () => {
  const database = await createDatabase([]);
  const printed = await runExample(join(import.meta.dirname, '..'), { DATABASE_URL: database.url });
  expect(printed.trimEnd().split('\n')).toEqual([
    "[ 'notes', 'notes-index' ]",
    'notes.title is not null and has no default: the previous version leaves it out',
    'notes ACCESS EXCLUSIVE',
  ]);
  await database.close();
});
