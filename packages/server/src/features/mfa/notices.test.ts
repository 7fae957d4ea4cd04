import { describe, expect, it } from 'vitest';
import { bearer, createBrowser, PASSWORD } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { setUser } from '../../../test/records.ts';
import { challenge, enrolNew, halfSignIn, verify } from '../../../test/second-factor.ts';

const app = useTestApp();

const subjectsTo = async (email: string) => (await app.mailbox.take(email)).map(({ subject }) => subject);

describe('notices about second factors', () => {
  it('sends a mail when MFA is enabled', async () => {
    const user = await enrolNew(app);
    expect(await subjectsTo(user.email)).toContain('Two-step verification was turned on');
  });

  it('sends a mail about new recovery codes, in the language of the user', async () => {
    const user = await enrolNew(app);
    await subjectsTo(user.email);
    await setUser(app, user.user_id, { locale: 'de' });
    const ask = { ...bearer(user.verified_token) };
    const regenerate = (password: string) => createBrowser(app).post('/auth/mfa/recovery-codes', { password }, ask);
    expect((await regenerate('not the password at all')).status).toBe(401);
    expect(await subjectsTo(user.email)).toEqual([]);
    expect((await regenerate(PASSWORD)).status).toBe(200);
    expect(await subjectsTo(user.email)).toEqual(['Ihre Wiederherstellungscodes wurden ersetzt']);
  });

  it('sends a mail for each recovery code used, at sign-in and at step-up, and for no wrong one', async () => {
    const user = await enrolNew(app);
    await subjectsTo(user.email);
    const [first, second] = user.recovery_codes;
    const wrong = await challenge(app, await halfSignIn(app, user), { recovery_code: 'AAAA-BBBB-CCCC-DDDD' });
    expect(wrong.status).toBe(401);
    expect(await subjectsTo(user.email)).toEqual([]);
    expect((await challenge(app, await halfSignIn(app, user), { recovery_code: first })).status).toBe(200);
    expect(await subjectsTo(user.email)).toEqual(['A recovery code for your account was used']);
    expect((await challenge(app, await halfSignIn(app, user), { recovery_code: first })).status).toBe(401);
    expect(await subjectsTo(user.email)).toEqual([]);
    expect((await verify(app, user.verified_token, { recovery_code: second })).status).toBe(200);
    expect(await subjectsTo(user.email)).toEqual(['A recovery code for your account was used']);
  });

  it('sends no mail for a TOTP code', async () => {
    const user = await enrolNew(app);
    await subjectsTo(user.email);
    app.clock.advance(60);
    expect((await challenge(app, await halfSignIn(app, user), { code: user.app.code() })).status).toBe(200);
    expect(await subjectsTo(user.email)).toEqual([]);
  });
});
