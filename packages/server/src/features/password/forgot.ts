import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { answerByMail } from '../../domain/one-time/answer-by-mail.ts';
import { issueOneTimeToken, LINK_LIFETIME, linkFor } from '../../domain/one-time/issue.ts';

const kind = 'password_reset';

/** §4.6 POST /auth/password/forgot: mails a link that replaces the previous one. Always 204. */
export const forgotPassword = (deps: Deps, caller: Caller, body: unknown): Promise<void> =>
  answerByMail(deps, caller, body, {
    action: 'auth.password_reset.requested',
    issue: async (tx, { subject, stored_email: email }, now) => {
      const {
        token,
        expires_at,
        mail_id: id,
      } = await issueOneTimeToken(tx, { kind, subject, user_id: null, email, now });
      const params = { link: linkFor(deps.config, kind, token), hours: LINK_LIFETIME[kind] / 3600 };
      return { id, template: 'password_reset', params, expires_at };
    },
  });
