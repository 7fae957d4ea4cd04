import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { mayMail } from '../../domain/one-time/mail-limit.ts';
import { sendVerification } from '../../domain/one-time/send-verification.ts';
import { findUnverifiedUser } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';

/** POST /auth/email/send-verification: a link that replaces the previous one; nothing if the email is verified. */
export async function sendAgain(deps: Deps, caller: Caller, session: SessionState): Promise<void> {
  const user = await findUnverifiedUser(deps.db, session.user_id);
  if (!user || !(await mayMail(deps, caller, { kind: 'asked', email: user.email }))) return;

  await transact(deps.db, (tx) => sendVerification(tx, deps, user));
}
