import { describe, expect, it } from 'vitest';
import { registerUser } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { after } from '../../platform/clock.ts';
import { findOrigins } from './queries.ts';

const app = useTestApp({ environment: { TRUST_PROXY: '127.0.0.1' } });

const find = (events = 200) => findOrigins(app.deps.db, after(app.clock.now(), -60), events);

describe('origins of recent events', () => {
  it('returns the one client address of recent events, or null if there are several, and ignores old events', async () => {
    expect(await find()).toEqual({ events: 0, users: 0, address: null });
    await registerUser(app);
    await registerUser(app);
    const alike = await find();
    expect(alike).toMatchObject({ users: 2, address: '127.0.0.1' });
    expect(alike.events).toBeGreaterThanOrEqual(2);
    const headers = { 'x-forwarded-for': '198.41.0.4', 'content-type': 'application/json' };
    const payload = JSON.stringify({ email: 'nobody@example.com', password: 'something else entirely' });
    await app.server.inject({ method: 'POST', url: '/v1/auth/login', headers, payload });
    expect(await find()).toMatchObject({ address: null, events: alike.events + 1 });
    expect(await find(1)).toEqual({ events: 1, users: 0, address: '198.41.0.4' });
    app.clock.advance(61);
    expect((await find()).events).toBe(0);
  });
});
