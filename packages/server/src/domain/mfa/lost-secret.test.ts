import { beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { SECRET, startTestApp, type TestApp } from '../../../test/harness.ts';
import { challenge, type Enrolled, enrolNew, halfSignIn } from '../../../test/second-factor.ts';
import { createKeyring, type Keyring } from '../../platform/crypto/keyring.ts';
import { sealedUnder } from '../../platform/crypto/seal.ts';
import { sealedColumnsOf } from '../../platform/crypto/sealed-columns.ts';
import { resealColumn } from '../../platform/db/reseal.ts';
import { countSecretsUnder } from './queries.ts';

const NEW = 'another secret that is long enough to be one';
const countUnder = ({ deps }: TestApp, { current, previous }: Keyring) =>
  countSecretsUnder(deps.db, { current: current.id, previous: previous?.id });

const database = useTestDatabase();
let users: Enrolled[];
beforeAll(async () => {
  const app = await startTestApp({ database });
  users = [await enrolNew(app), await enrolNew(app), await enrolNew(app)];
  await app.close();
});

const within = async <T>(environment: Record<string, string>, work: (app: TestApp) => Promise<T>): Promise<T> => {
  const app = await startTestApp({ database, environment });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
};
const rewrap = ({ deps }: TestApp, batch = 100) =>
  resealColumn(deps.db, deps.keyring, sealedColumnsOf('totp_secrets')[0]!, { batch });

/** Sends a TOTP code; the clocks of all these services start at the same time as that of the app. */
const tryCode = async (app: TestApp, user: Enrolled) =>
  (await challenge(app, await halfSignIn(app, user), { code: user.app.code() })).status;

describe('JWT_SECRET and second factors', () => {
  it('JWT_SECRET lost: codes get 401 instead of 500, recovery codes still work, and the doctor can count the affected users', async () => {
    await within({ JWT_SECRET: NEW }, async (app) => {
      const [user] = users;
      const token = await halfSignIn(app, user!);
      expect((await challenge(app, token, { code: '123456' })).status).toBe(401);
      expect((await challenge(app, token, { recovery_code: user!.recovery_codes[0] })).status).toBe(200);
      expect(await countUnder(app, createKeyring(NEW))).toEqual({ current: 0, previous: 0, lost: 3 });
      expect(await countUnder(app, createKeyring(NEW, SECRET))).toEqual({ current: 0, previous: 3, lost: 0 });
      expect(await countUnder(app, createKeyring(SECRET))).toEqual({ current: 3, previous: 0, lost: 0 });
      expect(await rewrap(app)).toEqual({ done: 0, lost: 3 });
    });
  });

  it('JWT_SECRET changed: codes work with the previous secret, and after `keys rewrap` without it', async () => {
    const rolling = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET };
    await within(rolling, async (app) => {
      expect(await tryCode(app, users[1]!)).toBe(200);
      expect(await rewrap(app, 2)).toEqual({ done: 3, lost: 0 });
      expect(await rewrap(app)).toEqual({ done: 0, lost: 0 });
      const rows = await app.deps.db.selectFrom('totp_secrets').select('sealed_secret').execute();
      expect(new Set(rows.map((row) => sealedUnder(row.sealed_secret)))).toEqual(
        new Set([createKeyring(NEW).current.id]),
      );
    });
    await within({ JWT_SECRET: NEW }, async (app) => expect(await tryCode(app, users[2]!)).toBe(200));
  });
});
