import type { Tx } from '../../platform/db/connect.ts';
import { recordAudit, recordAudits } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { endKeys } from '../machines/end-keys.ts';
import { deleteMfa, deleteMfaTokens } from '../mfa/queries.ts';
import { revokeConsents } from '../oauth-server/consents/queries.ts';
import { deleteOneTimeTokens } from '../one-time/queries.ts';
import { revokePasskeys } from '../passkeys/queries.ts';
import { deletePassword } from '../passwords/queries.ts';
import { revokeUserSessions } from '../sessions/revoke.ts';
import { revokeTrustedBrowsers } from '../trusted-browsers/queries.ts';
import { revokeIdentities } from '../upstream/queries.ts';
import { notify } from '../users/notify.ts';
import { findRecipient } from '../users/queries.ts';
import { disableWebhooksOf } from '../webhooks/disable.ts';
import { resetOwnPolicies } from './reset-own-policies.ts';
import { stopAddingMembers } from './stop-adding.ts';
import { voidInvitationsFrom } from './void-invitations.ts';

export interface Removal {
  /** The user's row must be locked by this transaction. */
  readonly user_id: string;
  /** The organization of the audit rows. */
  readonly organization_id: string;
  readonly now: Date;
  /** The session that requested the removal, which stays active. If unset, all sessions end. */
  readonly except?: string | undefined;
  /** Set for a password reset, which has just set the password. */
  readonly keepPassword?: boolean;
  readonly keepSecondFactor?: boolean;
  /** Whether to reset policies that may keep the owner of the mailbox out (`resetOwnPolicies`). */
  readonly resetPolicies?: boolean;
  /** The connection of the sign-in, which keeps `create_members`. */
  readonly connection_id?: string | undefined;
}

/**
 * docs/reference/accounts.md#unproven-accounts: removes everything that someone who does not own the mailbox may
 * have added to an account whose email is not verified. Also ends passkey and linking ceremonies: one that began before
 * the email was verified is refused afterwards. Returns how many of each were removed.
 */
export async function removeUnproven(tx: Tx, deps: Deps, caller: Caller, removal: Removal): Promise<Removed> {
  const { user_id, organization_id, now, except, connection_id } = removal;
  // Lock order: organizations and connections before sessions (avoids deadlocks).
  if (removal.resetPolicies) await resetOwnPolicies(tx, deps, caller, { user_id, now });
  await stopAddingMembers(tx, caller, { user_id, connection_id, now });
  if (!removal.keepPassword) await deletePassword(tx, user_id, now);
  if (!removal.keepSecondFactor) await deleteMfa(tx, user_id, now);
  const sessions = await revokeUserSessions(tx, deps, { user_id, except, grants: 'all', now });
  await deleteMfaTokens(tx, user_id);
  await deleteOneTimeTokens(tx, user_id, ['login_code', 'password_reset', 'email_change'], now);
  const passkeys = await revokePasskeys(tx, user_id, now);
  const identities = await revokeIdentities(tx, user_id, now);
  const trusted_browsers = await revokeTrustedBrowsers(tx, user_id, now);
  await revokeConsents(tx, user_id, now);
  const keys = await endKeys(tx, deps, { created_by: user_id }, now);
  await voidInvitationsFrom(tx, user_id, now);
  await disableWebhooksOf(tx, caller, user_id, now);

  const about = { now, actor_id: user_id, organization_id } as const;
  for (const { id: resource_id } of passkeys) {
    const action = 'passkey.removed';
    await recordAudit(tx, caller, { ...about, action, resource_type: 'passkey', resource_id, metadata: {} });
  }
  for (const { id: resource_id, provider } of identities) {
    const action = 'auth.oauth.unlinked';
    await recordAudit(tx, caller, { ...about, action, resource_type: 'identity', resource_id, metadata: { provider } });
  }
  await recordAudits(
    tx,
    caller,
    keys.map((key) => ({
      action: 'api_key.revoked',
      now,
      actor_id: user_id,
      organization_id: key.organization_id,
      resource_type: 'api_key',
      resource_id: key.id,
      metadata: { service_account_id: key.service_account_id, reason: 'reclaimed' },
    })),
  );
  // One mail reports all removed passkeys.
  if (passkeys[0]) {
    const params = { name: passkeys[0].name, count: passkeys.length };
    await notify(tx, deps, await findRecipient(tx, user_id), { template: 'passkey_removed', params });
  }
  return {
    passkeys: passkeys.length,
    identities: identities.length,
    sessions,
    trusted_browsers: trusted_browsers.length,
  };
}

interface Removed {
  readonly passkeys: number;
  readonly identities: number;
  readonly sessions: number;
  readonly trusted_browsers: number;
}

/**
 * Removes everything unproven because the owner of the mailbox asked for it, and audits that. Deletes the verification
 * link too; after a plain reset the link stays valid, but using it changes nothing.
 */
export async function reclaimAccount(tx: Tx, deps: Deps, caller: Caller, removal: Removal): Promise<void> {
  const metadata = { ...(await removeUnproven(tx, deps, caller, removal)) };
  const { user_id, organization_id, now } = removal;
  await deleteOneTimeTokens(tx, user_id, ['email_verification'], now);
  await recordAudit(tx, caller, {
    action: 'account.reclaimed',
    now,
    resource_type: 'user',
    resource_id: user_id,
    actor_id: user_id,
    organization_id,
    metadata,
  });
}
