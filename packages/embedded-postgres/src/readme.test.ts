import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runExample } from './readme-fixture.ts';

it('the example of the README runs', async () => {
  expect(await runExample(join(import.meta.dirname, '..'))).toBe('notes\n');
});
