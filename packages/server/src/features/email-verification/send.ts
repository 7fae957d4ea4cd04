import type { Caller, Deps } from '../../domain/context.ts';
import { mayMail } from '../../domain/one-time/mail-limit.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { findUnverifiedUser } from '../../domain/users/queries.ts';
import { sendVerification } from '../../domain/users/send-verification.ts';
import { transact } from '../../platform/db/transact.ts';

/** POST /auth/email/send-verification: a link that replaces the previous one; nothing if the email is verified. */
export async function sendAgain(deps: Deps, caller: Caller, session: SessionState): Promise<void> {
  const user = await findUnverifiedUser(deps.db, session.user_id);
  if (!user || !(await mayMail(deps, caller, { kind: 'asked', email: user.email }))) return;

  await transact(deps.db, (tx) => sendVerification(tx, deps, user));
}
