import type { AuthMethod } from '@gatehouse/contract';
import type { AuditInsert } from '../audit/queries.ts';
import { auditRow } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import type { Uses } from '../kernel/statements.ts';
import { prepareMail } from '../mail/enqueue.ts';
import { mailAlong } from '../mail/queries.ts';
import { listOwners } from '../memberships/queries.ts';
import { noticeTo } from '../users/notify.ts';

interface Entry {
  readonly user_id: string;
  readonly email: string;
  readonly organization_id: string;
  readonly method: AuthMethod;
}

interface Report {
  readonly audit: AuditInsert;
  /** One mail to each owner, queued by the statement that opens the session. */
  readonly mails: Uses;
}

export async function reportBreakGlass(
  deps: Deps,
  caller: Caller,
  { user_id, email, organization_id, method }: Entry,
): Promise<Report> {
  const owners = await listOwners(deps.db, { organization_id });
  const mails = owners.map(({ organization_name, ...owner }) =>
    prepareMail(deps.mail, noticeTo(deps, owner, { template: 'break_glass', params: { organization_name, email } })),
  );
  const audit = auditRow(caller, {
    action: 'auth.break_glass',
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: user_id,
    actor_id: user_id,
    organization_id,
    metadata: { method },
  });
  return { audit, mails: (source) => mails.map((mail) => mailAlong(mail, source)) };
}
