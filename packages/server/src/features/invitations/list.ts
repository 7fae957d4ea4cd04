import type { InvitationList, InvitationStatus } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countInvitations, listInvitations } from '../../domain/invitations/queries.ts';
import type { Paging } from '../../http/page-query.ts';
import { describeInvitation } from './describe.ts';

interface Asked {
  readonly organization_id: string;
  readonly status: InvitationStatus | undefined;
  readonly paging: Paging;
}

/** GET /orgs/:org_id/invitations: the newest first; an ended one is listed for as long as it is kept. */
export async function listInvited(
  { db, clock }: Deps,
  { paging: { page, page_size, offset }, ...asked }: Asked,
): Promise<InvitationList> {
  const search = { ...asked, now: clock.now() };
  const [rows, total] = await Promise.all([
    listInvitations(db, { ...search, limit: page_size, offset }),
    countInvitations(db, search),
  ]);
  return { items: rows.map(describeInvitation), total, page, page_size };
}
