import { totpCode } from '../src/domain/mfa/totp.ts';
import { type Answer, bearer, createBrowser, registerUser, type TestUser } from './browser.ts';
import type { TestApp } from './harness.ts';

type Target = TestApp | string;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const fromBase32 = (text: string): Buffer => {
  const bits = [...text].map((character) => ALPHABET.indexOf(character).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

/** An authenticator app. It uses the clock of the service in this process, or of this machine. */
interface AuthenticatorApp {
  /** Returns the code of the current step, or of the step that is `ahead` steps later. */
  code(ahead?: number): string;
  /** Returns a code that is not valid for any near step. */
  wrong(): string;
}

export function createAuthenticatorApp(target: Target, secret: string): AuthenticatorApp {
  const key = fromBase32(secret);
  const now = () => (typeof target === 'string' ? Date.now() : target.clock.now().getTime());
  const code = (ahead = 0) => totpCode(key, Math.floor(now() / 30_000) + ahead);
  return {
    code,
    wrong: () => {
      const near = [-3, -2, -1, 0, 1, 2, 3].map(code);
      return Array.from({ length: 20 }, (_, index) => String(index * 7919).padStart(6, '0')).find(
        (guess) => !near.includes(guess),
      )!;
    },
  };
}

export interface Enrolled extends TestUser {
  readonly app: AuthenticatorApp;
  readonly recovery_codes: string[];
  /** The access token of the enrolling session, issued after MFA was enabled. */
  readonly verified_token: string;
}

/** Enables MFA with the code of the previous step, so that the current one is unused. */
export async function enrol(target: Target, user: TestUser): Promise<Enrolled> {
  const { secret } = (await expectOk(user.browser.post('/auth/mfa/setup'))).json;
  const app = createAuthenticatorApp(target, secret);
  const { recovery_codes, access_token } = (await expectOk(confirm(user, app))).json;
  return { ...user, app, recovery_codes, verified_token: access_token };
}

/** Retries once: with the clock of this machine, the step may end between computing and using the code. */
async function confirm(user: TestUser, app: AuthenticatorApp): Promise<Answer> {
  const send = () => user.browser.post('/auth/mfa/enable', { code: app.code(-1) });
  const answer = await send();
  return answer.status === 401 ? send() : answer;
}

export const enrolNew = async (target: Target): Promise<Enrolled> => enrol(target, await registerUser(target));

async function expectOk(asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** Signs in with the password and returns the `mfa_token`. */
export async function halfSignIn(target: Target, { email, password }: TestUser): Promise<string> {
  const answer = await expectOk(createBrowser(target).post('/auth/login', { email, password }));
  if (answer.json.status !== 'mfa_required') throw new Error(`no second factor was asked for: ${answer.text}`);
  return answer.json.mfa_token;
}

export const challenge = (target: Target, mfa_token: string, answer: { code?: unknown; recovery_code?: unknown }) =>
  createBrowser(target).post('/auth/mfa/challenge', { mfa_token, ...answer });

export const verify = (target: Target, token: string, answer: { code?: unknown; recovery_code?: unknown }) =>
  createBrowser(target).post('/auth/mfa/verify', answer, bearer(token));
