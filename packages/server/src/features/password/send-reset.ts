import { NIL_UUID } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { lockExistingUser } from '../../domain/authorization/administer.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { Principal } from '../../domain/kernel/principal.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { enqueueMail } from '../../domain/mail/enqueue.ts';
import { chooseLocale } from '../../domain/mail/templates/render.ts';
import { issueOneTimeToken, LINK_LIFETIME, linkFor } from '../../domain/one-time/issue.ts';
import { countMails } from '../../domain/one-time/mail-limit.ts';
import { transact } from '../../platform/db/transact.ts';

const kind = 'password_reset';

/** POST /admin/users/:id/send-reset: mails the link of §4.6. Above the limit no mail; an earlier link stays valid. */
export async function sendReset(deps: Deps, caller: Caller, principal: Principal, user_id: string): Promise<void> {
  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const { email, status, locale, last_organization_id } = await lockExistingUser(tx, principal, {
      user_id,
      role: 'admin',
    });
    if (status !== 'active') throw new ServiceError('conflict', 'this user is disabled; enable the account first');
    if (!(await countMails(tx, deps, 'asked', [email])).has(email)) return;
    const issued = await issueOneTimeToken(tx, { kind, subject: user_id, user_id: null, email, now });
    const { token, expires_at, mail_id } = issued;
    await enqueueMail(tx, deps.mail, {
      id: mail_id,
      template: kind,
      locale: chooseLocale(locale, deps.config.DEFAULT_LOCALE),
      to: email,
      params: { link: linkFor(deps.config, kind, token), hours: LINK_LIFETIME[kind] / 3600 },
      expires_at,
    });
    await recordAudit(tx, caller, {
      action: 'auth.password_reset.requested',
      now,
      resource_type: 'user',
      resource_id: user_id,
      organization_id: last_organization_id ?? NIL_UUID,
      metadata: {},
    });
  });
}
