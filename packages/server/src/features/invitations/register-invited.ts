import { v7 as uuid } from 'uuid';
import { auditRow } from '../../domain/audit/record.ts';
import { claimInitialOwner } from '../../domain/authorization/initial-owner.ts';
import type { Deps } from '../../domain/context.ts';
import { claim } from '../../domain/invitations/claim.ts';
import type { OpenInvitation } from '../../domain/invitations/queries.ts';
import { accountExists, conflict } from '../../domain/invitations/refusals.ts';
import { acceptedEvent, createByInvitation } from '../../domain/joining/join.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { hashNewPassword } from '../../domain/passwords/new-password.ts';
import { policyParameter } from '../../domain/policy/policy.ts';
import { admit, prepareSignIn, type SignedIn } from '../../domain/sign-in/complete.ts';
import type { Account } from '../../domain/sign-in/queries.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { transact } from '../../platform/db/transact.ts';

interface InvitedUser {
  readonly token: string;
  readonly invitation: OpenInvitation;
  readonly password: string;
  readonly display_name: string | undefined;
  readonly locale: string | null;
}

/** Creates the account and its membership in one transaction. The token proves that the user owns the address. */
export async function registerInvited(
  deps: Deps,
  caller: Caller,
  { token, invitation, password, display_name, locale }: InvitedUser,
): Promise<SignedIn> {
  // Hashed after the token was checked: an invalid token must not cost a password hash.
  const password_hash = await hashNewPassword(deps, caller, { field: 'password', password });
  const given = { display_name: display_name?.trim() || null, locale, password_hash };
  let current = invitation;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = await registerOnce(deps, caller, { token, invitation: current, given });
    if ('status' in outcome) return outcome;
    current = outcome.changed;
  }
  throw conflict('the rules of the organization are being changed; try again');
}

const ATTEMPTS = 3;

interface Registration extends Pick<InvitedUser, 'token' | 'invitation'> {
  readonly given: {
    readonly display_name: string | null;
    readonly locale: string | null;
    readonly password_hash: string;
  };
}

/** Thrown to roll back: the policy of the organization, or a domain, has changed since the session was prepared. */
class PolicyChanged extends Error {
  readonly claimed: OpenInvitation;
  constructor(claimed: OpenInvitation) {
    super('the policy has changed');
    this.claimed = claimed;
  }
}

/** Returns the invitation as it is now if the policy of the organization was changed concurrently. */
async function registerOnce(
  deps: Deps,
  caller: Caller,
  { token, invitation, given }: Registration,
): Promise<SignedIn | { changed: OpenInvitation }> {
  const now = deps.clock.now();
  const account = accountOf(invitation, { ...given, now });
  const prepared = prepareSignIn(deps, caller, account, {
    method: 'password',
    first_factor: 'password',
    aal: 'aal1',
    mfa_verified_at: null,
    audit: () => [
      auditRow(caller, acceptedEvent(invitation, { user_id: account.id, role: account.role, new_user: true, now })),
    ],
  });
  try {
    const { granted, isOwner } = await transact(deps.db, async (tx) => {
      const claimed = await claim(tx, deps, { token_hash: hashToken(token), invitation });
      if (policyParameter(claimed.policy) !== policyParameter(invitation.policy)) throw new PolicyChanged(claimed);
      await createByInvitation(tx, { invitation: claimed, user: account, now });
      const granted = await admit(tx, deps, prepared);
      if (!granted) throw new PolicyChanged(claimed);
      return { granted, isOwner: await claimInitialOwner(tx, deps, account) };
    });
    const signedIn = await prepared.issue(granted);
    return isOwner ? { ...signedIn, state: { ...signedIn.state, platform_role: 'owner' } } : signedIn;
  } catch (error) {
    if (error instanceof PolicyChanged) return { changed: error.claimed };
    // The address was registered in the meantime.
    throw violatedConstraint(error) === 'users_email_key' ? accountExists() : error;
  }
}

const accountOf = (
  { email, organization_id, role, policy, domains }: OpenInvitation,
  { now, ...given }: { display_name: string | null; locale: string | null; password_hash: string; now: Date },
) =>
  ({
    id: uuid(),
    email,
    email_verified_at: now,
    status: 'active',
    platform_role: null,
    mfa_enabled_at: null,
    organization_id,
    role,
    policy,
    domains,
    is_named: true,
    trusted: false,
    ...given,
  }) satisfies Account;
