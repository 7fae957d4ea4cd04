import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerUser, type TestUser } from '../../../test/browser.ts';
import { oneTimeTokensOf } from '../../../test/records.ts';
import { randomCode } from './code.ts';
import { type Codes, startCodes } from './code-fixture.ts';

// Behavior shared with POST /auth/password/forgot, which also always returns 204, is in `answer-by-mail.test.ts`.
let codes: Codes;
beforeAll(async () => {
  codes = await startCodes();
});
afterAll(() => codes.app.close());

const ask = ({ email }: TestUser) => codes.ask(email);
const verify = ({ email }: TestUser, code: string) => codes.verify({ email, code });
const findCode = async ({ user_id }: TestUser) => (await oneTimeTokensOf(codes.app, user_id, 'login_code'))[0];

describe('§4.4 the code', () => {
  it('the code has 6 digits, padded with zeros', () => {
    const codes = Array.from({ length: 20_000 }, randomCode);
    expect(codes.filter((code) => !/^\d{6}$/.test(code))).toEqual([]);
    expect(codes.some((code) => code.startsWith('0'))).toBe(true);
    expect(new Set(codes).size).toBeGreaterThan(19_000);
  });

  it('is valid for 10 minutes and starts with zero attempts', async () => {
    const user = await registerUser(codes.app);
    await ask(user);
    const row = await findCode(user);
    expect(row).toMatchObject({ attempts: 0, created_at: codes.app.clock.now() });
    expect(row!.expires_at.getTime() - row!.created_at.getTime()).toBe(600_000);
    const [mail] = (await codes.app.mailbox.take(user.email)).filter(({ text }) => /\d{6}/.test(text));
    expect(mail!.text).toContain('10 minutes');
    expect(mail!.subject).not.toMatch(/\d/);
  });

  it('the code is stored only as a keyed hash: a million guesses at a copy of the table find nothing', async () => {
    const user = await registerUser(codes.app);
    await ask(user);
    const code = await codes.app.mailbox.takeCode(user.email);
    const { token_hash, ...row } = (await findCode(user))!;
    expect(token_hash).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(code);
    const guesses = [code, `${user.user_id}${code}`, `${user.user_id}\0${user.email}\0${code}`];
    for (const guess of guesses) expect(createHash('sha256').update(guess).digest().equals(token_hash)).toBe(false);
  });

  it('§3: a new code replaces the old one', async () => {
    const user = await registerUser(codes.app);
    await ask(user);
    const first = await codes.app.mailbox.takeCode(user.email);
    await ask(user);
    const second = await codes.app.mailbox.takeCode(user.email);
    if (first !== second) expect((await verify(user, first)).status).toBe(401);
    expect((await verify(user, second)).status).toBe(200);
  });

  it('over the mail limit the earlier code stays valid', async () => {
    const user = await registerUser(codes.app);
    for (let index = 0; index < 9; index++) await ask(user);
    await codes.app.mailbox.take(user.email);
    await ask(user);
    const last = await codes.app.mailbox.takeCode(user.email);
    await ask(user);
    expect(await codes.app.mailbox.take(user.email)).toEqual([]);
    expect((await verify(user, last)).status).toBe(200);
  });

  it('is in no log line, and in no row of the queue after it was sent', async () => {
    const user = await registerUser(codes.app);
    await ask(user);
    const code = await codes.app.mailbox.takeCode(user.email);
    await verify(user, code);
    await codes.app.mailbox.settle();
    const mails = await codes.app.deps.db.selectFrom('mails').selectAll().execute();
    expect(mails.every(({ sealed }) => sealed === null)).toBe(true);
    const audit = await codes.app.deps.db.selectFrom('audit_events').selectAll().execute();
    const written = JSON.stringify([
      codes.app.logs.map(({ time, ...line }) => line),
      audit.map(({ metadata }) => metadata),
    ]);
    expect(written).not.toMatch(new RegExp(`\\b${code}\\b`));
    expect(JSON.stringify(codes.app.logs)).not.toContain(user.email);
  });
});
