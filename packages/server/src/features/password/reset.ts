import { NIL_UUID, type PasswordResetRequest } from '@gatehouse/contract';
import { claimInitialOwner } from '../../domain/accounts/initial-owner.ts';
import { notify } from '../../domain/accounts/notify.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { revokeIdentities } from '../../domain/identities/queries.ts';
import { invalidLink } from '../../domain/one-time/invalid-link.ts';
import { consumeOneTimeToken, deleteOneTimeTokens, findOneTimeToken } from '../../domain/one-time/queries.ts';
import { revokePasskeys } from '../../domain/passkeys/queries.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { revokeUserSessions } from '../../domain/sessions/revoke.ts';
import { deleteMfaTokens } from '../../domain/sign-in/queries.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { transact } from '../../platform/db/transact.ts';
import { updateResetPassword } from './queries.ts';

const kind = 'password_reset';

/**
 * §4.7 POST /auth/password/reset: token and new password → 204. Everything that the old password, or somebody who knew it,
 * may have opened is closed: sessions, trusted browsers, codes under way, a change of email that waits to be confirmed.
 */
export async function resetPassword(
  deps: Deps,
  caller: Caller,
  { token, new_password }: PasswordResetRequest,
): Promise<void> {
  const token_hash = hashToken(token);
  const { user_id, email } = await requireLive(deps, token_hash);
  // After the look-up: a token that is none does not cost us a hash.
  const password_hash = await deps.passwords.hash(new_password, caller.network);

  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    // First the user's row: a sign-in or a change that is about to be written holds it. What follows sees what it wrote.
    const user = await updateResetPassword(tx, { user_id, email, password_hash, now });
    if (!user || !(await consumeOneTimeToken(tx, kind, token_hash, now))) throw invalidLink();
    await deleteOneTimeTokens(tx, user_id, ['login_code', 'email_change']);
    await revokeUserSessions(tx, deps, { user_id, now });
    await revokeTrustedBrowsers(tx, user_id, now);
    // Whoever registered somebody else's address may have left a way in of their own.
    if (!user.was_verified) {
      await revokePasskeys(tx, user_id, now);
      await revokeIdentities(tx, user_id, now);
    }
    await deleteMfaTokens(tx, user_id);
    await recordAudit(tx, caller, {
      action: 'auth.password_reset.consumed',
      now,
      resource_type: 'user',
      resource_id: user_id,
      actor_id: user_id,
      organization_id: user.last_organization_id ?? NIL_UUID,
      metadata: {},
    });
    await notify(tx, deps, user, { template: 'password_changed', params: {} });
    await claimInitialOwner(tx, deps, user);
  });
}

/** The contract, section 1: with a live token a deleted user is 404 and a disabled one 401. */
async function requireLive({ db, clock }: Deps, token_hash: Buffer): Promise<{ user_id: string; email: string }> {
  const found = await findOneTimeToken(db, [kind], token_hash, clock.now());
  if (found?.status === 'deleted') throw new ServiceError('not_found', 'the account of this link is gone');
  // One that went to an address of before is as good as none, and is not looked at further: what it costs would tell.
  if (found?.status !== 'active' || found.email === null || found.email !== found.account_email) throw invalidLink();
  return { user_id: found.user_id, email: found.email };
}
