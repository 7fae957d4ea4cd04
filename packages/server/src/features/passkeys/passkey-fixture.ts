import { expect } from 'vitest';
import {
  type Authenticator,
  beginSigningIn,
  type Keyholder,
  type Tampering,
  withPasskey,
} from '../../../test/authenticator.ts';
import { type Answer, type Browser, createBrowser, type TestUser } from '../../../test/browser.ts';
import { startTestApp } from '../../../test/harness.ts';
import { auditOf, recorded } from '../../../test/records.ts';

export async function startPasskeys(options: Parameters<typeof startTestApp>[0] = {}) {
  const app = await startTestApp(options);
  const complete = (credential: unknown, browser: Browser = createBrowser(app)) =>
    browser.post('/auth/passkey/login/complete', { credential }, { headers: { 'x-request-id': REQUEST_ID } });
  const addedBy = (user_id: string) => auditOf(app, { actor_id: user_id, action: 'passkey.added' });
  const passkeys = () => app.deps.db.selectFrom('passkeys').selectAll();
  const passkeysOf = (user_id: string) => passkeys().where('user_id', '=', user_id).orderBy('created_at').execute();
  return {
    app,
    complete,
    addedBy,
    passkeysOf,
    recorded: <T>(work: () => Promise<T>) => recorded(app, work),
    withPasskey: (device?: Authenticator) => withPasskey(app, device),
    begin: (email?: string) => beginSigningIn(app, email),
    signIn: async ({ device, email }: Keyholder, tampering: Tampering = {}) =>
      complete(device.get(await beginSigningIn(app, email), tampering)),
    findPasskey: (id: string) => passkeys().where('id', '=', id).executeTakeFirstOrThrow(),
    /** Expects this error, no passkey and no audit row. */
    expectNotAdded: async ({ user_id }: TestUser, answer: Answer, status: number, code: string) => {
      expect({ status: answer.status, code: answer.json.error?.code }, answer.text).toEqual({ status, code });
      expect(await passkeysOf(user_id)).toEqual([]);
      expect(await addedBy(user_id)).toEqual([]);
    },
    loginsOf: (user_id: string) => auditOf(app, { resource_id: user_id, action: 'auth.passkey.login' }),
  };
}

const REQUEST_ID = '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0003';

export type PasskeyTests = Awaited<ReturnType<typeof startPasskeys>>;
