import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { insertSession, SECRET, startTestApp } from '../../../test/harness.ts';
import { createApp } from '../../app.ts';
import { loadConfig } from '../../platform/config/load.ts';
import { createLogger } from '../../platform/log.ts';
import { ensureSigningKey, LostSecretError, rotateSigningKey } from '../endings/ensure-key.ts';
import { generateSigningKey, type NewKey } from './keys.ts';
import { rewrapSigningKeys } from './rewrap.ts';

const NEW = `${SECRET} changed`;

describe('JWT_SECRET', () => {
  it('JWT_SECRET lost: the service starts, retires old keys, revokes every session family, and audits this', async () => {
    const database = await createTestDatabase();
    const before = await startTestApp({ database });
    const { access_token, session_id } = await insertSession(before);
    const old = before.deps.keys.current()!.kid;
    await before.close();
    const after = await startTestApp({ database, clock: before.clock, environment: { JWT_SECRET: NEW } });
    expect(after.deps.keys.current()!.kid).not.toBe(old);
    expect(after.deps.keys.jwks().keys).toHaveLength(1);
    expect(after.deps.accessTokens.verify(access_token)).toBeUndefined();
    expect(await after.deps.sessions.find(session_id)).toBeUndefined();
    const feed = await after.server.inject('/.well-known/service-revocations.json');
    expect(feed.json().revocations).toMatchObject([{ sid: session_id }]);
    const actions = await database.db.selectFrom('audit_events').select('action').orderBy('id').execute();
    expect(actions.map(({ action }) => action)).toEqual([
      // First the key of this service, then that of the tokens of applications.
      ...['signing_key.retired', 'signing_key.created'],
      ...['signing_key.retired', 'signing_key.created'],
    ]);
    expect(after.logs.some((line) => String(line.msg).startsWith('JWT_SECRET decrypts none'))).toBe(true);
    await after.close();
    await database.close();
  });

  it('JWT_SECRET lost, and two replicas start: the slower one keeps sessions that began at the faster one', async () => {
    const database = await createTestDatabase();
    const config = loadConfig({ JWT_SECRET: NEW, PUBLIC_BASE_URL: 'http://localhost:8080' });
    const slow = createApp({ config, log: createLogger({ level: 'silent' }), database });
    let finish: (key: NewKey) => void = () => {};
    const slowly = ensureSigningKey(
      slow.deps,
      new Promise((resolve) => {
        finish = resolve;
      }),
    );
    await database.db.selectFrom('signing_keys').select('kid').execute();
    const quick = await startTestApp({ database, environment: { JWT_SECRET: NEW } });
    const { session_id } = await insertSession(quick);
    finish(await generateSigningKey());
    await slowly;
    expect(slow.deps.keys.current()!.kid).toBe(quick.deps.keys.current()!.kid);
    const row = await database.db
      .selectFrom('sessions')
      .select('revoked_at')
      .where('id', '=', session_id)
      .executeTakeFirst();
    expect(row).toEqual({ revoked_at: null });
    await quick.close();
    await slow.server.close();
    await database.close();
  });

  it('JWT_SECRET wrong at `keys rotate`: the command fails, and nothing changes', async () => {
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

  it('JWT_SECRET lost for one key of two: the other key continues to sign, and no session ends', async () => {
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
    expect(await rewrapSigningKeys(during.deps)).toEqual({ done: 2, lost: 0 });
    expect(await rewrapSigningKeys(during.deps)).toEqual({ done: 0, lost: 0 });
    await during.close();
    const after = await startTestApp({ database, clock: before.clock, environment: { JWT_SECRET: NEW } });
    expect(after.deps.accessTokens.verify(access_token)).toBeDefined();
    expect(await after.deps.sessions.find(session_id)).toBeDefined();
    await after.close();
    await database.close();
  });
});
