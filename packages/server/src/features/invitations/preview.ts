import type { InvitationPreview } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { requireOpen } from './open.ts';

/** §4.8 GET /auth/invitations/preview: what somebody is about to accept. */
export async function preview(deps: Deps, token: string): Promise<InvitationPreview> {
  const { organization_name, role, inviter_email, email, expires_at } = await requireOpen(deps.db, deps, token);
  return { organization_name, role, inviter_email, email, expires_at: expires_at.toISOString() };
}
