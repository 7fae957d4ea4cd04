import type { InvitationList, InvitationStatus } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { describeInvitation } from '../../domain/invitations/describe.ts';
import { countInvitations, listInvitations } from '../../domain/invitations/queries.ts';
import type { Paging } from '../../http/page-query.ts';

interface ListQuery {
  readonly organization_id: string;
  readonly status: InvitationStatus | undefined;
  readonly paging: Paging;
}

/** GET /orgs/:org_id/invitations: newest first. Ended invitations are listed until they are swept. */
export async function listInvited(
  { db, clock }: Deps,
  { paging: { page, page_size, offset }, ...filter }: ListQuery,
): Promise<InvitationList> {
  const search = { ...filter, now: clock.now() };
  const [rows, total] = await Promise.all([
    listInvitations(db, { ...search, limit: page_size, offset }),
    countInvitations(db, search),
  ]);
  return { items: rows.map(describeInvitation), total, page, page_size };
}
