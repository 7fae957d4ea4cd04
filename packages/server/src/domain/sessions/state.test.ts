import { describe, expect, it } from 'vitest';
import { insertSession, useTestApp } from '../../../test/harness.ts';
import { setSession } from '../../../test/records.ts';

const app = useTestApp();

describe('the cached session state', () => {
  it('the session state is read once for concurrent callers, and then cached', async () => {
    const { session_id } = await insertSession(app);
    const { sessions } = app.deps;
    const found = Array.from({ length: 50 }, () => sessions.find(session_id));
    expect(new Set(found).size).toBe(1);
    const state = await found[0];
    expect(state).toMatchObject({ session_id });
    expect(sessions.find(session_id)).toBe(state);
  });

  it('the session state is read again after a change, also while an older query is running', async () => {
    const { session_id, user_id } = await insertSession(app);
    const { bus, sessions } = app.deps;
    for (const event of [
      { topic: 'session', key: session_id },
      { topic: 'user', key: user_id },
    ] as const) {
      await bus.deliver([event]);
      const before = sessions.find(session_id);
      await bus.deliver([event]);
      const after = sessions.find(session_id);
      expect(after).not.toBe(before);
      await before;
      const state = await after;
      expect(sessions.find(session_id)).toBe(state);
    }
  });

  it('the session state is read again if it seems expired: the session may have been refreshed elsewhere', async () => {
    const { session_id } = await insertSession(app);
    const { sessions, config } = app.deps;
    await sessions.find(session_id);
    app.clock.advance(config.REFRESH_TOKEN_TTL - 10);
    await sessions.find(session_id);
    const expires_at = new Date(app.clock.now().getTime() + 100_000);
    await setSession(app, session_id, { expires_at });
    app.clock.advance(20);
    expect(await sessions.find(session_id)).toMatchObject({ session_id });
    app.clock.advance(100);
    expect(await sessions.find(session_id)).toBeUndefined();
  });
});
