import type { PasswordConfirmation } from '@gatehouse/contract';
import { confirmPassword } from '../../domain/accounts/confirm-password.ts';
import { notify } from '../../domain/accounts/notify.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { mayMail } from '../../domain/one-time/mail-limit.ts';
import { badCredentials, notSignedIn } from '../../domain/service-error.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { deleteMfaTokens } from '../../domain/sign-in/queries.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { deleteMfa, findMfaOwner } from './queries.ts';

const action = 'mfa.disabled';

/** POST /auth/mfa/disable: the password → secret, codes and trusted browsers are gone. Off already: the same answer. */
export async function disable(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { password: given }: PasswordConfirmation,
): Promise<void> {
  const checked_hash = await confirmPassword(deps, caller, session, { field: 'password', given, action, metadata: {} });
  const mayTell = await mayMail(deps, caller, { kind: 'notice', email: session.email });
  const { user_id } = session;
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const owner = await findMfaOwner(tx, user_id);
    if (owner?.status !== 'active') throw notSignedIn();
    if (owner.password_hash !== checked_hash) throw badCredentials();
    await deleteMfa(tx, user_id, now);
    await revokeTrustedBrowsers(tx, user_id, now);
    await deleteMfaTokens(tx, user_id);
    if (owner.mfa_enabled_at === null) return;
    await recordAudit(tx, caller, { action, now, resource_type: 'user', resource_id: user_id, metadata: {} });
    if (mayTell) await notify(tx, deps, owner, { template: 'mfa_disabled', params: {} });
  });
}
