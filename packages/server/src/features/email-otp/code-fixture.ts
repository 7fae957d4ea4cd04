import { createBrowser, registerUser, type TestUser } from '../../../test/browser.ts';
import { startTestApp } from '../../../test/harness.ts';
import { auditOf, oneTimeTokensOf } from '../../../test/records.ts';

const REQUEST_ID = '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0002';

export const another = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

export async function startCodes(options: Parameters<typeof startTestApp>[0] = {}) {
  const app = await startTestApp(options);
  const ask = (email: string) => createBrowser(app).post('/auth/email-otp/request', { email });
  const newCode = async (email: string): Promise<string> => {
    const { status } = await ask(email);
    if (status !== 204) throw new Error(`the request for a code was answered ${status}`);
    return app.mailbox.takeCode(email);
  };
  const verify = (body: unknown, headers: Record<string, string> = {}) =>
    createBrowser(app).post('/auth/email-otp/verify', body, { headers: { 'x-request-id': REQUEST_ID, ...headers } });
  return {
    app,
    ask,
    newCode,
    verify,
    withCode: async (): Promise<TestUser & { code: string }> => {
      const user = await registerUser(app);
      return { ...user, code: await newCode(user.email) };
    },
    /** Failed attempts of the code. Undefined if there is no code. */
    attemptsOf: async (user_id: string): Promise<number | undefined> =>
      (await oneTimeTokensOf(app, user_id, 'login_code'))[0]?.attempts,
    signInsOf: (user_id: string) =>
      auditOf(app, { resource_id: user_id, action: ['auth.email_otp.succeeded', 'auth.email_otp.failed'] }),
  };
}

export type Codes = Awaited<ReturnType<typeof startCodes>>;
