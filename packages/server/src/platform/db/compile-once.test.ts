import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { compileOnce } from './compile-once.ts';

const database = useTestDatabase({ empty: true });

interface Values {
  readonly name: string;
  readonly times: { readonly from: Date; readonly minutes: number };
  readonly words: readonly string[] | null;
}

it('builds the statement once and inserts the values of each execution, including nested and repeated ones', async () => {
  let built = 0;
  const statement = compileOnce(({ name, times, words }: Values) => {
    built++;
    const until = sql`${times.from}::timestamptz + ${times.minutes}::int * interval '1 minute'`;
    return sql<{ name: string; until: Date; words: string[] | null }>`
      select ${name}::text || ${name}::text as name, ${until} as until, ${words}::text[] as words`;
  });
  const from = new Date('2026-01-01T00:00:00Z');
  expect(await statement(database.db, { name: 'a', times: { from, minutes: 1 }, words: ['x', 'y'] })).toEqual([
    { name: 'aa', until: new Date('2026-01-01T00:01:00Z'), words: ['x', 'y'] },
  ]);
  expect(await statement(database.db, { name: "b'", times: { from, minutes: 2 }, words: null })).toEqual([
    { name: "b'b'", until: new Date('2026-01-01T00:02:00Z'), words: null },
  ]);
  expect(built).toBe(1);
});

it('rejects a statement with a parameter that is no placeholder, because it would be the same for each execution', async () => {
  const statement = compileOnce(({ name }: Values) => sql`select ${name}::text, ${new Date()}::timestamptz`);
  const values = { name: 'a', times: { from: new Date(), minutes: 1 }, words: null };
  await expect(statement(database.db, values)).rejects.toThrow('no placeholder');
});
