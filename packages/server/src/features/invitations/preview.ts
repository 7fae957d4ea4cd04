import type { InvitationPreview } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { requireOpenOf } from '../../domain/invitations/open.ts';
import type { Caller } from '../../domain/kernel/caller.ts';

/** §4.8 GET /auth/invitations/preview: what accepting the invitation means. */
export async function preview(
  deps: Deps,
  caller: Caller,
  attempt: { token: string; trust_hash: Buffer | undefined },
): Promise<InvitationPreview> {
  const { organization_name, role, inviter_email, email, expires_at } = await requireOpenOf(deps, caller, attempt);
  return { organization_name, role, inviter_email, email, expires_at: expires_at.toISOString() };
}
