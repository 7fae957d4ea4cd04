import { expect, it } from 'vitest';
import { createTestDatabase } from './database.ts';
import { renderSchema } from './schema-reference.ts';

it('docs/schema.sql matches the migrations', async () => {
  const database = await createTestDatabase();
  const text = await renderSchema(database).finally(() => database.close());
  await expect(text).toMatchFileSnapshot('../../../docs/schema.sql');
});
