import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerUser } from '../../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../../test/harness.ts';
import { setUser } from '../../../../test/records.ts';
import { transact } from '../../../platform/db/transact.ts';
import { argon2Hash, bcryptHash } from './hashes-fixture.ts';
import { mergePasswordCounts } from './queries.ts';

const app = useTestApp({ realHashes: true });
let users: string[];
beforeAll(async () => {
  users = [];
  for (let index = 0; index < 4; index++) users.push((await registerUser(app)).user_id);
});

const counts = async () => {
  const { rows } = await sql<{
    head: string;
    count: number;
  }>`select head, sum(delta)::bigint as count from password_counts
    group by head having sum(delta) <> 0`.execute(app.deps.db);
  return Object.fromEntries(rows.map(({ head, count }) => [head, count]));
};
const give = (index: number, password_hash: string | null) => setUser(app, users[index]!, { password_hash });
beforeEach(async () => {
  for (const index of users.keys()) await give(index, await app.deps.passwords.hash('x', 'me'));
});

describe('the counts of password hash kinds', () => {
  it('the counts of hash kinds are updated when hashes are inserted, changed and deleted', async () => {
    expect(await counts()).toEqual({ '': 4 });
    await give(0, await bcryptHash('x'));
    await give(1, await bcryptHash('y'));
    await give(2, await argon2Hash('x', 'id'));
    await give(3, null);
    expect(await counts()).toEqual({ $2b$04: 2, '$argon2id$v=19$m=64,t=1,p=1': 1 });
    await give(0, await bcryptHash('x', 5));
    await give(1, '$argon2i$m=64,t=1,p=1$c29tZXNhbHQ$VawEblY8v2v7TPIh9tUrBEnlRuqRhMHIv9zK+hF8wgk');
    await give(2, 'nonsense');
    await give(3, '$pbkdf2-sha256$i=27500,l=64$c2FsdA$c2FsdA');
    expect(await counts()).toEqual({
      $2b$05: 1,
      '$argon2i$m=64,t=1,p=1': 1,
      '?': 1,
      '$pbkdf2-sha256$i=27500,l=64': 1,
    });
  });

  it('the counts of hash kinds stay the same when the sweeper merges their rows', async () => {
    await give(0, await bcryptHash('x'));
    const before = await counts();
    await app.sweeper.pass();
    const rows = await app.deps.db.selectFrom('password_counts').selectAll().execute();
    expect(rows).toHaveLength(2);
    expect(Object.fromEntries(rows.map(({ head, delta }) => [head, delta]))).toEqual({ '': 3, $2b$04: 1 });
    expect(await counts()).toEqual(before);
  });

  it('the counts of hash kinds are not changed by a sign-in that keeps the hash, also while rows are merged', async () => {
    const rows = () => app.deps.db.selectFrom('password_counts').selectAll().execute();
    await app.sweeper.pass();
    const before = await rows();
    const user = await app.deps.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', users[0]!)
      .executeTakeFirstOrThrow();
    await setUser(app, user.id, { password_hash: user.password_hash, last_login_at: app.clock.now() });
    expect(await rows()).toEqual(before);
    await transact(app.deps.db, async (tx) => {
      await mergePasswordCounts(tx, app.clock.now(), 1000);
      expect(await counts()).toEqual({ '': 4 });
    });
  });
});

describe('the cost of a wrong password', () => {
  const OURS = 'argon2id 19456 2 1';
  const costs = async () => {
    await app.deps.passwords.reload();
    return app.deps.passwords.costs();
  };

  it('changes with the kinds of hashes that accounts have', async () => {
    expect(await costs()).toEqual([OURS]);
    await give(0, await bcryptHash('x'));
    await give(1, await bcryptHash('x'));
    await give(2, await argon2Hash('x', 'id'));
    expect(await costs()).toEqual([OURS, 'bcrypt 4', 'argon2id 64 1 1']);
    // This replaces the last argon2id hash with foreign parameters.
    await give(2, await app.deps.passwords.hash('x', 'me'));
    expect(await costs()).toEqual([OURS, 'bcrypt 4']);
    await give(0, null);
    await give(1, null);
    expect(await costs()).toEqual([OURS]);
  });

  it('includes only the most frequent kinds of hashes if there are very many', async () => {
    for (const index of [0, 1]) await give(index, await bcryptHash('x'));
    await sql`insert into password_counts select '$2b$' || lpad(n::text, 2, '0'), 1 from generate_series(5, 14) n`.execute(
      app.deps.db,
    );
    expect(await costs()).toHaveLength(7);
    expect((await costs()).slice(0, 2)).toEqual([OURS, 'bcrypt 4']);
    await sql`insert into password_counts select '$2b$' || lpad(n::text, 2, '0'), -1 from generate_series(5, 14) n`.execute(
      app.deps.db,
    );
  });

  it('is known to a new replica from its start', async () => {
    await give(0, await bcryptHash('x'));
    const replica = await startTestApp({ database: app.database, realHashes: true });
    expect(replica.deps.passwords.costs()).toEqual([OURS, 'bcrypt 4']);
    await replica.close();
  });
});
