import type { Deps } from '../../domain/context.ts';
import { findOrigin } from '../../domain/credentials/queries.ts';
import { prepareMail } from '../../domain/mail/enqueue.ts';
import { noticeAlong } from '../../domain/one-time/queries.ts';
import { type Account, NOTHING, type Uses } from '../../domain/sign-in/queries.ts';
import { knownDevice } from '../../domain/user-agent.ts';
import { noticeTo } from '../../domain/users/notify.ts';

/** Once in 24 hours. */
const QUOTA = { count: 1, window: 86_400 };

/**
 * The contract, section 9.1: a code was right, the email is not verified, and the account has credentials that the code
 * does not prove. The statement that consumes the code also queues a mail to the owner of the mailbox that says when
 * and with which device the account was created. With a second factor on, the mail is queued before that factor is
 * given: an owner who does not have it needs the mail most.
 */
export async function unprovenNotice(deps: Deps, account: Account): Promise<Uses> {
  if (account.email_verified_at !== null) return NOTHING;
  const { created_at, user_agent, credentials } = await findOrigin(deps.db, account.id);
  if (credentials.length === 0) return NOTHING;
  const params = { created_at: created_at.getTime(), device: knownDevice(user_agent) };
  const mail = prepareMail(deps.mail, noticeTo(deps, account, { template: 'unproven_sign_in', params }));
  return noticeAlong({
    counter: deps.limiter.counter('unproven notice', account.id, QUOTA),
    mail,
    now: deps.clock.now(),
  });
}
