import type { Invitation } from '@gatehouse/contract';
import type { InvitationRow } from './queries.ts';

/** An invitation in the format of docs/reference/organizations.md#invitations. */
export const describeInvitation = ({ created_at, expires_at, ...row }: InvitationRow): Invitation => ({
  ...row,
  created_at: created_at.toISOString(),
  expires_at: expires_at.toISOString(),
});
