import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newEmail, registerPerson } from '../../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../../test/harness.ts';
import { setUser } from '../../../../test/records.ts';
import { transact } from '../../../platform/db/transact.ts';
import { argon2Hash, bcryptHash } from './hashes-fixture.ts';
import { countPasswords, mergePasswordCounts } from './queries.ts';

let app: TestApp;
/** Four accounts, and nobody else. */
let people: string[];
beforeAll(async () => {
  app = await startTestApp();
  people = [];
  for (let index = 0; index < 4; index++) people.push((await registerPerson(app)).user_id);
});
afterAll(() => app.close());

const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const ADDRESSES = Array.from({ length: 2000 }, newEmail);
const counts = async () => {
  const { kinds, total } = await countPasswords(app.deps.db, 20);
  return { ...Object.fromEntries(kinds.map(({ head, count }) => [head, count])), total };
};
const give = (index: number, password_hash: string | null) => setUser(app, people[index]!, { password_hash });
const shareOf = ({ deps }: TestApp, head: string) =>
  ADDRESSES.filter((email) => deps.passwords.decoyFor(email).startsWith(head)).length / ADDRESSES.length;

beforeEach(async () => {
  for (const index of people.keys()) await give(index, await app.deps.passwords.hash('x', 'me'));
});

describe('the kinds of hashes are counted', () => {
  it('as they come, change and go', async () => {
    expect(await counts()).toEqual({ '': 4, total: 4 });
    await give(0, await bcryptHash('x'));
    await give(1, await bcryptHash('y'));
    await give(2, await argon2Hash('x', 'id'));
    await give(3, null);
    expect(await counts()).toEqual({ $2b$04: 2, '$argon2id$v=19$m=64,t=1,p=1': 1, total: 3 });
    await give(0, await bcryptHash('x', 5));
    await give(1, '$argon2i$m=64,t=1,p=1$c29tZXNhbHQ$VawEblY8v2v7TPIh9tUrBEnlRuqRhMHIv9zK+hF8wgk');
    await give(2, 'nonsense');
    await give(3, '$pbkdf2-sha256$i=27500,l=64$c2FsdA$c2FsdA');
    expect(await counts()).toEqual({
      $2b$05: 1,
      '$argon2i$m=64,t=1,p=1': 1,
      '?': 1,
      '$pbkdf2-sha256$i=27500,l=64': 1,
      total: 4,
    });
  });

  it('the rows of the count are put together by the sweeper, and say the same', async () => {
    await give(0, await bcryptHash('x'));
    const before = await counts();
    await app.sweeper.pass();
    const rows = await app.deps.db.selectFrom('password_counts').selectAll().execute();
    expect(rows).toHaveLength(2);
    expect(Object.fromEntries(rows.map(({ head, delta }) => [head, delta]))).toEqual({ '': 3, $2b$04: 1 });
    expect(await counts()).toEqual(before);
  });

  it('a sign-in that changes nothing adds nothing, also while rows are put together', async () => {
    const rows = () => app.deps.db.selectFrom('password_counts').selectAll().execute();
    await app.sweeper.pass();
    const before = await rows();
    const user = await app.deps.db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', people[0]!)
      .executeTakeFirstOrThrow();
    await setUser(app, user.id, { password_hash: user.password_hash, last_login_at: app.clock.now() });
    expect(await rows()).toEqual(before);
    await transact(app.deps.db, async (tx) => {
      await mergePasswordCounts(tx, app.clock.now(), 1000);
      expect(await counts()).toEqual({ '': 4, total: 4 });
    });
  });
});

describe('decoys', () => {
  it('with hashes of our own alone, every address costs what they do', async () => {
    await app.deps.passwords.reload();
    for (const email of ADDRESSES.slice(0, 20)) expect(app.deps.passwords.decoyFor(email)).toMatch(OURS);
  });

  it('are of the kinds that accounts have, as often, and move on as they do', async () => {
    for (const index of [0, 1, 2]) await give(index, await bcryptHash('x'));
    await app.deps.passwords.reload();
    expect(shareOf(app, '$2b$04$')).toBeCloseTo(0.75, 1);
    const before = ADDRESSES.map((email) => app.deps.passwords.decoyFor(email).startsWith('$2b$04$'));
    // Without a password: an account like one that is not there.
    await give(3, null);
    await app.deps.passwords.reload();
    expect(shareOf(app, '$2b$04$')).toBe(1);
    await give(3, await app.deps.passwords.hash('x', 'me'));
    await app.deps.passwords.reload();
    expect(ADDRESSES.map((email) => app.deps.passwords.decoyFor(email).startsWith('$2b$04$'))).toEqual(before);
    await give(0, await app.deps.passwords.hash('x', 'me'));
    await app.deps.passwords.reload();
    expect(shareOf(app, '$2b$04$')).toBeCloseTo(0.5, 1);
  });

  it('every replica has the same ones, from its start on', async () => {
    for (const index of [0, 1]) await give(index, await bcryptHash('x'));
    await app.deps.passwords.reload();
    const replica = await startTestApp({ database: app.database });
    const kindOf = ({ deps }: TestApp) => ADDRESSES.map((email) => deps.passwords.decoyFor(email).slice(0, 7));
    expect(kindOf(replica)).toEqual(kindOf(app));
    await replica.close();
  });
});
