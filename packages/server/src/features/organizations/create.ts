import { type CreatedOrganization, type NewOrganizationRequest, normalizeEmail } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import { recordAudit } from '../../domain/audit/record.ts';
import { recheckAccess } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { sendVerification } from '../../domain/one-time/send-verification.ts';
import { createTenant } from '../../domain/organizations/create-tenant.ts';
import { hashNewPassword } from '../../domain/passwords/new-password.ts';
import type { Tx } from '../../platform/db/connect.ts';

/**
 * §4.12 POST /admin/orgs, and `admin create-org`: a tenant and its first owner. Ignores INITIAL_OWNER_EMAIL: a platform
 * admin who knows the new account's password could become platform owner through it.
 */
export async function createOrganization(
  deps: Deps,
  caller: Caller,
  input: NewOrganizationRequest,
): Promise<CreatedOrganization> {
  const password_hash = await hashNewPassword(deps, caller, {
    field: 'owner_password',
    password: input.owner_password,
  });
  const now = deps.clock.now();
  const organization = { id: uuid(), name: input.organization_name.trim(), slug: input.organization_slug };
  const owner = {
    id: uuid(),
    email: normalizeEmail(input.owner_email),
    email_verified_at: null,
    display_name: input.owner_display_name?.trim() || null,
    locale: null,
    password_hash,
  };
  const along = async (tx: Tx, slug: string) => {
    await sendVerification(tx, deps, owner);
    await recordAudit(tx, caller, {
      action: 'org.created',
      now,
      resource_type: 'organization',
      resource_id: organization.id,
      organization_id: organization.id,
      metadata: { owner_user_id: owner.id },
    });
    return { organization_id: organization.id, owner_user_id: owner.id, slug };
  };
  // Lock order: the caller before the new user (avoids deadlocks).
  const check = (tx: Tx) => recheckAccess(tx, { deps, caller });
  return createTenant(deps.db, { now, organization, owner }, along, check);
}
