import { LIMITS } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { answerByMail } from '../../domain/one-time/answer-by-mail.ts';
import { upsertOneTimeToken } from '../../domain/one-time/queries.ts';
import { after } from '../../platform/clock.ts';
import { hashCode, randomCode } from './code.ts';

const { lifetime } = LIMITS.emailCode;

/** §4.4 POST /auth/email-otp/request: mails a code that replaces the previous one. Always 204. */
export const requestCode = (deps: Deps, caller: Caller, body: unknown): Promise<void> =>
  answerByMail(deps, caller, body, {
    action: 'auth.email_otp.requested',
    issue: async (tx, { email, subject }, now) => {
      const code = randomCode();
      const token_hash = hashCode(deps.keyring, { subject, email, code });
      const expires_at = after(now, lifetime);
      const token = { kind: 'login_code', subject, user_id: null, email: null, token_hash } as const;
      const id = await upsertOneTimeToken(tx, { ...token, created_at: now, expires_at });
      return { id, template: 'login_code', params: { code, minutes: lifetime / 60 }, expires_at };
    },
  });
