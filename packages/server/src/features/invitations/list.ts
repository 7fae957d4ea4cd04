import type { InvitationList, InvitationStatus } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { describeInvitation } from '../../domain/invitations/describe.ts';
import { countInvitations, listInvitations } from '../../domain/invitations/queries.ts';
import type { Paging } from '../../http/page-query.ts';
import { isDeep } from '../../platform/db/deep-page.ts';

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
  const counted = countInvitations(db, search);
  const isBeyond = isDeep(offset) && offset >= (await counted);
  const [rows, total] = await Promise.all([
    isBeyond ? [] : listInvitations(db, { ...search, limit: page_size, offset }),
    counted,
  ]);
  return { items: rows.map(describeInvitation), total, page, page_size };
}
