import { normalizeEmail, type RegisterRequest } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { createTenant } from '../../domain/accounts/create-tenant.ts';
import { claimInitialOwner } from '../../domain/accounts/initial-owner.ts';
import { sendVerification } from '../../domain/accounts/send-verification.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { admit, prepareSignIn, type SignedIn } from '../../domain/sign-in/complete.ts';

/** POST /auth/register: organization, owner, membership, session, audit row and verification mail, or none of them. */
export async function register(deps: Deps, caller: Caller, input: RegisterRequest): Promise<SignedIn> {
  const now = deps.clock.now();
  const password_hash = await deps.passwords.hash(input.password, caller.network);
  const organization = { id: uuid(), name: input.organization_name.trim(), slug: input.organization_slug };
  const owner = {
    id: uuid(),
    email: normalizeEmail(input.email),
    email_verified_at: null,
    display_name: input.display_name?.trim() || null,
    locale: null,
    password_hash,
  };
  const prepared = await prepareSignIn(deps, caller, newcomer(owner, organization.id), {
    method: 'password',
    aal: 'aal1',
    mfa_verified_at: null,
    audit: ({ organization_id }) => [
      auditRow(caller, {
        action: 'auth.register',
        now,
        resource_type: 'organization',
        resource_id: organization_id,
        metadata: {},
        organization_id,
        actor_id: owner.id,
      }),
    ],
  });

  const isOwner = await createTenant(deps.db, { now, organization, owner }, async (tx) => {
    if (!(await admit(tx, deps, prepared))) throw new ServiceError('internal_error', 'the first session was refused');
    await sendVerification(tx, deps, owner);
    return claimInitialOwner(tx, deps, owner);
  });

  const { signedIn } = prepared;
  return isOwner ? { ...signedIn, state: { ...signedIn.state, platform_role: 'owner' } } : signedIn;
}

type NewOwner = {
  id: string;
  email: string;
  email_verified_at: null;
  display_name: string | null;
  password_hash: string;
};

/** The account as it is about to be. */
const newcomer = (owner: NewOwner, organization_id: string) => ({
  ...owner,
  status: 'active' as const,
  platform_role: null,
  mfa_enabled_at: null,
  organization_id,
  role: 'owner' as const,
  trusted: false,
});
