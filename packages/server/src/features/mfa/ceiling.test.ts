import { describe, expect, it } from 'vitest';
import { atOnce, tally } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { auditOf, beforeSessionOpens, countSessions } from '../../../test/records.ts';
import { challenge, type Enrolled, enrolNew, halfSignIn } from '../../../test/second-factor.ts';

const small = useTestApp({ environment: { LIMIT_TOTP: '12/1h', LIMIT_RECOVERY_CODE: '7/1h' } });

describe('the limit of wrong second factors per account, over any number of mfa_tokens', () => {
  const guess = async (user: Enrolled, times: number, answer: () => object) => {
    const answers = [];
    for (let index = 0; index < times; index++) {
      const token = await halfSignIn(small, user);
      answers.push(await challenge(small, token, answer()));
    }
    return answers.map(({ status }) => status);
  };

  it('after 12 wrong TOTP codes per account 429, also for right ones; recovery codes still work, and TOTP codes an hour later', async () => {
    const user = await enrolNew(small);
    const wrong = () => ({ code: user.app.wrong() });
    expect(await guess(user, 12, wrong)).toEqual(Array(12).fill(401));
    const limited = await challenge(small, await halfSignIn(small, user), { code: user.app.code() });
    expect(limited.status).toBe(429);
    expect(limited.headers['retry-after']).toBe('3600');
    const rows = await auditOf(small, { actor_id: user.user_id, action: 'auth.mfa.challenge.failed' });
    expect(rows.at(-1)!.metadata).toEqual({ method: 'totp', reason: 'limited' });
    expect(await guess(user, 1, () => ({ recovery_code: user.recovery_codes[0] }))).toEqual([200]);
    small.clock.advance(3600);
    expect(await guess(user, 1, () => ({ code: user.app.code() }))).toEqual([200]);
  });

  it('after 7 wrong recovery codes per account 429; TOTP codes still work', async () => {
    const user = await enrolNew(small);
    const wrong = () => ({ recovery_code: 'k7ta-93xq-m2fv-0wzd' });
    expect(await guess(user, 9, wrong)).toEqual([...Array(7).fill(401), 429, 429]);
    expect(await guess(user, 1, () => ({ code: user.app.code() }))).toEqual([200]);
  });

  it('of 24 concurrent wrong codes over 12 tokens, 12 get 401 and the others 429', async () => {
    const user = await enrolNew(small);
    const tokens = await atOnce(12, () => halfSignIn(small, user));
    const code = user.app.wrong();
    const answers = await atOnce(24, (index) => challenge(small, tokens[index % 12]!, { code }));
    expect(tally(answers)).toEqual({ 401: 12, 429: 12 });
  });

  it('a right code is rejected if concurrent wrong ones have reached the limit', async () => {
    const user = await enrolNew(small);
    const token = await halfSignIn(small, user);
    beforeSessionOpens(small, () => guess(user, 12, () => ({ code: user.app.wrong() })));
    expect((await challenge(small, token, { code: user.app.code() })).status).toBe(429);
    expect(await countSessions(small, user.user_id)).toBe(1);
  });
});
