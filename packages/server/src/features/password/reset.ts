import {
  NIL_UUID,
  type PasswordResetPreview,
  type PasswordResetPreviewRequest,
  type PasswordResetRequest,
} from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { claimInitialOwner, isOwnerStrict } from '../../domain/authorization/initial-owner.ts';
import type { Deps } from '../../domain/context.ts';
import { reclaimAccount, removeUnproven } from '../../domain/endings/remove-unproven.ts';
import { notifyOfEmail } from '../../domain/endings/verified-email.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { findByToken } from '../../domain/limits/failed-attempts.ts';
import { deleteMfaTokens } from '../../domain/mfa/queries.ts';
import { clearWrongCodes } from '../../domain/mfa/wrong-codes.ts';
import { invalidLink } from '../../domain/one-time/invalid-link.ts';
import { consumeOneTimeToken, deleteOneTimeTokens, findOneTimeToken } from '../../domain/one-time/queries.ts';
import { hashNewPassword } from '../../domain/passwords/new-password.ts';
import { revokeUserSessions } from '../../domain/sessions/revoke.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { updateResetPassword } from '../../domain/unproven/queries.ts';
import { notify } from '../../domain/users/notify.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';

const kind = 'password_reset';

type Attempt<T> = T & { readonly trust_hash: Buffer | undefined };

/** POST /auth/password/reset/preview: whose password a mailed link would reset. The link stays valid. */
export async function previewReset(
  deps: Deps,
  caller: Caller,
  attempt: Attempt<PasswordResetPreviewRequest>,
): Promise<PasswordResetPreview> {
  const { email } = await findLink(deps, caller, attempt);
  return { email };
}

/**
 * §4.7 POST /auth/password/reset: token and new password → 204. Ends everything that someone with the old password may
 * have opened: sessions, trusted browsers, pending codes, a pending change of email. On an account whose email was not
 * verified everything unproven is removed; the second factor only with `disown`, because the owner of the mailbox may
 * not be the user if the address was mistyped.
 */
export async function resetPassword(
  deps: Deps,
  caller: Caller,
  { token, new_password, disown = false, trust_hash }: Attempt<PasswordResetRequest>,
): Promise<void> {
  const { user_id, email, token_hash } = await findLink(deps, caller, { token, trust_hash });
  // Hashed after the lookup: an invalid token must not cost a password hash.
  const password_hash = await hashNewPassword(deps, caller, { field: 'new_password', password: new_password });

  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    // Locks the user's row first: a concurrent sign-in or change has committed and is undone below, or waits.
    const user = await updateResetPassword(tx, { user_id, email, password_hash, now });
    if (!user || !(await consumeOneTimeToken(tx, kind, token_hash, now))) throw invalidLink();
    const organization_id = user.last_organization_id ?? NIL_UUID;
    await recordAudit(tx, caller, {
      action: 'auth.password_reset.consumed',
      now,
      resource_type: 'user',
      resource_id: user_id,
      actor_id: user_id,
      organization_id,
      metadata: {},
    });
    if (!user.was_verified) await notifyOfEmail(tx, deps, caller, 'auth.email.verified', { ...user, now });
    const isInitialOwner = await claimInitialOwner(tx, deps, user);
    const removal = { user_id, organization_id, now, keepPassword: true };
    if (user.was_verified) await closeAll(tx, deps, user_id, now);
    else if (disown || (isInitialOwner && isOwnerStrict(deps.config)))
      await reclaimAccount(tx, deps, caller, { ...removal, resetPolicies: true });
    else await removeUnproven(tx, deps, caller, { ...removal, keepSecondFactor: true });
    await clearWrongCodes(tx, deps, user_id);
    await notify(tx, deps, user, { template: 'password_changed', params: {} });
  });
}

/** Ends what the old password may have opened, in an account whose email was already verified. */
async function closeAll(tx: Tx, deps: Deps, user_id: string, now: Date): Promise<void> {
  await deleteOneTimeTokens(tx, user_id, ['login_code', 'email_change'], now);
  await revokeUserSessions(tx, deps, { user_id, grants: 'all', now });
  await revokeTrustedBrowsers(tx, user_id, now);
  await deleteMfaTokens(tx, user_id);
}

/** Counts an unknown token as a failed attempt of the client's address. */
async function findLink(
  deps: Deps,
  caller: Caller,
  { token, trust_hash }: Attempt<PasswordResetPreviewRequest>,
): Promise<{ user_id: string; email: string; token_hash: Buffer }> {
  const token_hash = hashToken(token);
  const found = await findByToken(deps, caller, {
    find: () => requireLive(deps, token_hash),
    refusal: 'authentication_required',
    ownerOf: ({ user_id }) => user_id,
    trust_hash,
  });
  return { ...found, token_hash };
}

/** docs/reference/sign-in.md#password-reset: with a live token a deleted user is 404 and a disabled one 401. */
async function requireLive({ db, clock }: Deps, token_hash: Buffer): Promise<{ user_id: string; email: string }> {
  const found = await findOneTimeToken(db, [kind], token_hash, clock.now());
  if (found?.status === 'deleted') throw new ServiceError('not_found', 'the account of this link was deleted');
  // A link sent to a previous address is handled like an unknown one, without further work that timing could reveal.
  if (found?.status !== 'active' || found.email === null || found.email !== found.account_email) throw invalidLink();
  return { user_id: found.user_id, email: found.email };
}
