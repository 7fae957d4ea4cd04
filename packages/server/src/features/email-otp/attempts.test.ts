import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce, newEmail, tally } from '../../../test/browser.ts';
import { beforeSessionOpens, countingRows, countSessions, setUser } from '../../../test/records.ts';
import { another, type Codes, startCodes } from './code-fixture.ts';

let codes: Codes;
beforeAll(async () => {
  codes = await startCodes();
});
afterAll(() => codes.app.close());

describe('§3 attempts', () => {
  it('after four wrong codes the right one is accepted', async () => {
    const user = await codes.withCode();
    for (let index = 1; index <= 4; index++) {
      expect((await codes.verify({ email: user.email, code: another(user.code) })).status).toBe(401);
      expect(await codes.attemptsOf(user.user_id)).toBe(index);
    }
    expect((await codes.verify({ email: user.email, code: user.code })).status).toBe(200);
  });

  it('after five wrong codes even the right code is rejected, until a new one is requested', async () => {
    const user = await codes.withCode();
    for (let index = 0; index < 5; index++) await codes.verify({ email: user.email, code: another(user.code) });
    expect((await codes.verify({ email: user.email, code: user.code })).status).toBe(401);
    expect(await codes.attemptsOf(user.user_id)).toBe(5);
    const code = await codes.newCode(user.email);
    expect((await codes.verify({ email: user.email, code })).status).toBe(200);
  });

  it('of 105 concurrent wrong codes five are verified, and then the right one is rejected', async () => {
    const user = await codes.withCode();
    const answers = await atOnce(105, () => codes.verify({ email: user.email, code: another(user.code) }));
    expect(tally(answers)).toEqual({ 401: 105 });
    expect(await codes.attemptsOf(user.user_id)).toBe(5);
    // After a hundred wrong codes, no code is verified and no row is written.
    const { result, rows } = await countingRows(codes.app, ['audit_events', 'sessions'], () =>
      codes.verify({ email: user.email, code: user.code }),
    );
    expect(result.status).toBe(401);
    expect(rows).toEqual({ audit_events: 0, sessions: 0 });
  });

  it('the right code among 20 concurrent guesses is accepted only as one of the first five', async () => {
    const user = await codes.withCode();
    const guesses = [another(user.code), another(another(user.code))];
    const answers = await atOnce(20, (index) =>
      codes.verify({ email: user.email, code: index === 15 ? user.code : guesses[index % 2] }),
    );
    const opened = answers.filter(({ status }) => status === 200).length;
    expect(opened).toBeLessThanOrEqual(1);
    expect(await countSessions(codes.app, user.user_id)).toBe(1 + opened);
    expect(await codes.attemptsOf(user.user_id)).toBe(opened === 1 ? undefined : 5);
  });

  it('ten concurrent right codes open one session', async () => {
    const user = await codes.withCode();
    const answers = await atOnce(10, () => codes.verify({ email: user.email, code: user.code }));
    expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    expect(await countSessions(codes.app, user.user_id)).toBe(2);
    expect((await codes.signInsOf(user.user_id)).filter(({ outcome }) => outcome === 'success')).toHaveLength(1);
  });
});

describe('wrong codes are limited per account, existing or not', () => {
  it('over the limit every code gets 401 without being verified, also the right one; an hour later a new code is accepted', async () => {
    const small = await startCodes({ environment: { LIMIT_EMAIL_CODE: '3/1h' } });
    const { email, user_id, code } = await small.withCode();
    for (let index = 0; index < 3; index++) {
      expect((await small.verify({ email, code: another(code) })).status).toBe(401);
    }
    const locked = await small.verify({ email, code });
    expect(locked.status).toBe(401);
    expect(locked.headers['retry-after']).toBeUndefined();
    expect(await small.attemptsOf(user_id)).toBe(3);
    const reasons = (await small.signInsOf(user_id)).map(({ metadata }) => metadata.reason);
    expect(reasons).toEqual(Array(3).fill('credentials'));
    small.app.clock.advance(3601);
    expect((await small.verify({ email, code: await small.newCode(email) })).status).toBe(200);
    await small.app.close();
  });

  it('a right code is rejected if concurrent wrong ones have reached the limit', async () => {
    const small = await startCodes({ environment: { LIMIT_EMAIL_CODE: '4/1h' } });
    const { email, user_id, code } = await small.withCode();
    beforeSessionOpens(small.app, async () => {
      for (let index = 0; index < 4; index++) await small.verify({ email, code: another(code) });
    });
    expect((await small.verify({ email, code })).status).toBe(401);
    expect(await countSessions(small.app, user_id)).toBe(1);
    await small.app.close();
  });
});

describe('a right code with a concurrent change', () => {
  it.each([
    ['of status', { status: 'disabled' }],
    ['of email', { email: newEmail('changed') }],
    ['of second factor', { mfa_enabled_at: new Date('2030-01-01T00:00:00Z') }],
  ] as const)('%s opens no session', async (_name, changes) => {
    const user = await codes.withCode();
    beforeSessionOpens(codes.app, () => setUser(codes.app, user.user_id, changes));
    const answer = await codes.verify({ email: user.email, code: user.code });
    expect(answer.status).toBe(401);
    expect(answer.set_cookies).toEqual([]);
    expect(await countSessions(codes.app, user.user_id)).toBe(1);
  });
});
