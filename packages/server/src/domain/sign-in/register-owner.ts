import { v7 as uuid } from 'uuid';
import type { FirstFactor } from '../../platform/db/column-types.ts';
import type { Tx } from '../../platform/db/connect.ts';
import type { AuditInsert } from '../audit/queries.ts';
import { auditRow } from '../audit/record.ts';
import { claimInitialOwner } from '../authorization/initial-owner.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { mayMailRegistered } from '../one-time/mail-limit.ts';
import { sendVerification } from '../one-time/send-verification.ts';
import { createTenant } from '../organizations/create-tenant.ts';
import { admit, prepareSignIn, type SignedIn } from './complete.ts';

interface NewOwner {
  readonly method: FirstFactor;
  readonly organization: { readonly name: string; readonly slug?: string | undefined };
  readonly owner: {
    readonly id: string;
    readonly email: string;
    readonly display_name: string | null;
    readonly locale: string | null;
    /** Null: the user has another credential. */
    readonly password_hash: string | null;
  };
  /** Audit events besides `auth.register` and `org.created`. */
  readonly audit?: (organization_id: string) => readonly AuditInsert[];
  /** Called in the transaction of the registration, to write further rows. */
  readonly along?: (tx: Tx) => Promise<unknown>;
}

/**
 * Creates organization, owner, membership, session, audit rows and verification mail in one transaction. Beyond the
 * limit of mails of the network, there is no mail until the owner asks for one.
 */
export async function registerOwner(deps: Deps, caller: Caller, newUser: NewOwner): Promise<SignedIn> {
  const now = deps.clock.now();
  const organization = { id: uuid(), ...newUser.organization };
  const owner = { ...newUser.owner, email_verified_at: null };
  const prepared = prepareSignIn(deps, caller, accountOf(owner, organization.id), {
    method: newUser.method,
    first_factor: newUser.method,
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
      auditRow(caller, {
        action: 'org.created',
        now,
        resource_type: 'organization',
        resource_id: organization_id,
        metadata: { owner_user_id: owner.id },
        organization_id,
        actor_id: owner.id,
      }),
      ...(newUser.audit?.(organization_id) ?? []),
    ],
  });

  const { granted, isOwner } = await createTenant(deps.db, { now, organization, owner }, async (tx) => {
    const granted = await admit(tx, deps, prepared);
    if (!granted) throw new ServiceError('internal_error', 'the first session was refused');
    await newUser.along?.(tx);
    if (await mayMailRegistered(tx, deps, caller)) await sendVerification(tx, deps, owner);
    return { granted, isOwner: await claimInitialOwner(tx, deps, owner) };
  });

  const signedIn = await prepared.issue(granted);
  return isOwner ? { ...signedIn, state: { ...signedIn.state, platform_role: 'owner' } } : signedIn;
}

const accountOf = (owner: NewOwner['owner'] & { email_verified_at: null }, organization_id: string) => ({
  ...owner,
  status: 'active' as const,
  platform_role: null,
  mfa_enabled_at: null,
  organization_id,
  role: 'owner' as const,
  policy: null,
  domains: [],
  is_named: true,
  trusted: false,
});
