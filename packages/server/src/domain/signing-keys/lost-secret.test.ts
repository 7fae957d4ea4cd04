import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { insertSession, SECRET, startTestApp } from '../../../test/harness.ts';
import { createApp } from '../../app.ts';
import { loadConfig } from '../../platform/config/load.ts';
import { SEALED_COLUMNS } from '../../platform/crypto/sealed-columns.ts';
import { resealColumns } from '../../platform/db/reseal.ts';
import { createLogger } from '../../platform/log.ts';
import { LostSecretError, OtherSecretError, resetKeys, rotateSigningKey, turnOldKeys } from '../endings/ensure-key.ts';

const NEW = `${SECRET} changed`;
const DAY = 86_400;

async function actionsIn({ db }: TestDatabase): Promise<string[]> {
  const rows = await db.selectFrom('audit_events').select('action').orderBy('id').execute();
  return rows.map(({ action }) => action).filter((action) => action.startsWith('signing_key.'));
}

describe('JWT_SECRET', () => {
  it('another JWT_SECRET: a start makes new keys, refuses sessions under the old one, and changes nothing of them', async () => {
    const database = await createTestDatabase();
    const before = await startTestApp({ database });
    const { access_token, session_id } = await insertSession(before);
    const old = before.deps.keys.current()!.kid;
    await before.close();
    const wrong = await startTestApp({ database, clock: before.clock, environment: { JWT_SECRET: NEW } });
    const kids = wrong.deps.keys.jwks().keys.map(({ kid }) => kid);
    expect(kids).toHaveLength(1);
    expect(kids).not.toContain(old);
    expect(wrong.deps.accessTokens.verify(access_token)).toBeUndefined();
    const ready = await wrong.server.inject('/readyz');
    expect([ready.statusCode, ready.json().checks.signing_key]).toEqual([200, 'other_secret']);
    expect(await actionsIn(database)).toEqual(['signing_key.created', 'signing_key.created']);
    const own = await insertSession(wrong);
    await wrong.close();
    const again = await startTestApp({ database, clock: before.clock });
    expect(again.deps.keys.current()!.kid).toBe(old);
    expect(again.deps.accessTokens.verify(access_token)).toBeDefined();
    expect(again.deps.accessTokens.verify(own.access_token)).toBeUndefined();
    expect(await again.deps.sessions.find(session_id)).toBeDefined();
    expect((await again.server.inject('/readyz')).json().checks.signing_key).toBe('ok');
    expect(again.logs.some((line) => String(line.msg).startsWith('JWT_SECRET decrypts none'))).toBe(false);
    await again.close();
    await database.close();
  });

  it('another JWT_SECRET while a process with the first one runs: the start fails, and nothing changes', async () => {
    const database = await createTestDatabase();
    const running = await startTestApp({ database });
    const rows = () => database.db.selectFrom('signing_keys').selectAll().execute();
    const before = await rows();
    const { kid } = before[0]!;
    const start = () => startTestApp({ database, environment: { JWT_SECRET: NEW } });
    await expect(start()).rejects.toThrow(OtherSecretError);
    expect(await rows()).toEqual(before);
    const replicas = () => database.db.selectFrom('replicas').select('kid').execute();
    expect(await replicas()).toEqual([{ kid }]);
    await running.close();
    expect(await replicas()).toEqual([]);
    // A process that was killed leaves its row: it counts as running for a minute.
    const id = '00000000-0000-4000-8000-000000000001';
    await database.db.insertInto('replicas').values({ id, kid, seen_at: new Date() }).execute();
    await expect(start()).rejects.toThrow(OtherSecretError);
    expect(await rows()).toEqual(before);
    await sql`update replicas set seen_at = clock_timestamp() - interval '61 seconds'`.execute(database.db);
    await (await start()).close();
    expect(await rows()).toHaveLength(2);
    await database.close();
  });

  it('two first starts with different secrets: one creates the keys, the other fails', async () => {
    const database = await createTestDatabase();
    const started = await Promise.allSettled(
      [SECRET, NEW].map((JWT_SECRET) => startTestApp({ database, environment: { JWT_SECRET } })),
    );
    const failed = started.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(failed.map(({ reason }) => reason)).toEqual([expect.any(OtherSecretError)]);
    expect(await database.db.selectFrom('signing_keys').select('kid').execute()).toHaveLength(1);
    for (const start of started) if (start.status === 'fulfilled') await start.value.close();
    await database.close();
  });

  it('`keys reset` ends the keys, sessions and grants of the other secret, and keeps those of this one', async () => {
    const database = await createTestDatabase();
    const before = await startTestApp({ database });
    const lost = await insertSession(before);
    await before.close();
    before.clock.advance(60);
    const after = await startTestApp({ database, clock: before.clock, environment: { JWT_SECRET: NEW } });
    const kept = await insertSession(after);
    expect(await resetKeys(after.deps)).toMatchObject({ keys: 2, sessions: 1, grants: 0 });
    expect(await resetKeys(after.deps)).toEqual({ keys: 0, sessions: 0, grants: 0 });
    await after.deps.keys.reload();
    expect(await after.deps.sessions.reload(lost.session_id)).toBeUndefined();
    expect(await after.deps.sessions.reload(kept.session_id)).toBeDefined();
    expect((await after.server.inject('/readyz')).json().checks.signing_key).toBe('ok');
    expect((await actionsIn(database)).slice(2)).toEqual(['signing_key.retired', 'signing_key.retired']);
    await after.close();
    await database.close();
  });

  it('SIGNING_KEY_MAX_AGE: replicas give an old key one successor, which signs 24 hours later', async () => {
    const database = await createTestDatabase();
    for (const table of ['signing_keys', 'application_keys'] as const) await database.db.deleteFrom(table).execute();
    const app = await startTestApp({ database, environment: { SIGNING_KEY_MAX_AGE: '30d' } });
    const old = app.deps.keys.current()!.kid;
    await turnOldKeys(app.deps);
    expect(app.deps.keys.all()).toHaveLength(1);
    app.clock.advance(30 * DAY);
    await Promise.all([turnOldKeys(app.deps), turnOldKeys(app.deps)]);
    await app.deps.keys.reload();
    await turnOldKeys(app.deps);
    expect(app.deps.keys.all()).toHaveLength(2);
    expect(app.deps.keys.jwks().keys).toHaveLength(2);
    expect(app.deps.keys.current()!.kid).toBe(old);
    app.clock.advance(DAY - 1);
    expect(app.deps.keys.current()!.kid).toBe(old);
    app.clock.advance(2);
    expect(app.deps.keys.current()!.kid).not.toBe(old);
    // The last token of the old key is valid for ACCESS_TOKEN_TTL.
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL - 2);
    expect(app.deps.keys.jwks().keys.map(({ kid }) => kid)).toContain(old);
    app.clock.advance(100);
    expect(app.deps.keys.jwks().keys.map(({ kid }) => kid)).not.toContain(old);
    expect(app.deps.applicationKeys.all()).toHaveLength(2);
    await app.close();
    await database.close();
  });

  it('wrong at `keys rotate`: the command fails, and nothing changes', async () => {
    const database = await createTestDatabase();
    const wrong = createApp({
      config: loadConfig({ JWT_SECRET: NEW, PUBLIC_BASE_URL: 'http://localhost:8080' }),
      log: createLogger({ level: 'silent' }),
      database,
    });
    const rows = () => database.db.selectFrom('signing_keys').selectAll().execute();
    const before = await rows();
    await expect(rotateSigningKey(wrong.deps)).rejects.toThrow(LostSecretError);
    expect(await rows()).toEqual(before);
    await database.close();
  });

  it('lost for one key of two: the other key continues to sign, and no session ends', async () => {
    const database = await createTestDatabase();
    const both = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET };
    const before = await startTestApp({ database, environment: both });
    const { session_id } = await insertSession(before);
    const { kid } = await rotateSigningKey(before.deps);
    await before.close();
    const after = await startTestApp({ database, clock: before.clock, environment: { JWT_SECRET: NEW } });
    expect(after.deps.keys.current()!.kid).toBe(kid);
    expect(await after.deps.sessions.find(session_id)).toBeDefined();
    expect((await after.server.inject('/readyz')).statusCode).toBe(200);
    await after.close();
    await database.close();
  });

  it('JWT_SECRET changed with JWT_SECRET_PREVIOUS and `keys rewrap`: nothing is lost', async () => {
    const database = await createTestDatabase();
    const before = await startTestApp({ database });
    const { access_token, session_id } = await insertSession(before);
    await before.close();
    const both = { JWT_SECRET: NEW, JWT_SECRET_PREVIOUS: SECRET };
    const during = await startTestApp({ database, clock: before.clock, environment: both });
    expect(during.deps.accessTokens.verify(access_token)).toBeDefined();
    const { db, keyring } = during.deps;
    const columns = SEALED_COLUMNS.filter(({ noun }) => noun === 'signing key');
    const rewrap = () => resealColumns(db, keyring, columns);
    expect(await rewrap()).toEqual([{ noun: 'signing key', done: 2, lost: 0 }]);
    expect(await rewrap()).toEqual([{ noun: 'signing key', done: 0, lost: 0 }]);
    await during.close();
    const after = await startTestApp({ database, clock: before.clock, environment: { JWT_SECRET: NEW } });
    expect(after.deps.accessTokens.verify(access_token)).toBeDefined();
    expect(await after.deps.sessions.find(session_id)).toBeDefined();
    await after.close();
    await database.close();
  });
});
