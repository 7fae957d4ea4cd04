import { isEmail, NIL_UUID, normalizeEmail } from '@gatehouse/contract';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import { hmac, uuidFrom } from '../../platform/crypto/tokens.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { inFixedTime } from '../../platform/fixed-time.ts';
import { recordAudit } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { enqueueMail, type OutgoingMail } from '../mail/enqueue.ts';
import { chooseLocale } from '../mail/templates/render.ts';
import { mayMail } from './mail-limit.ts';
import { findAddressee } from './queries.ts';

interface Addressee {
  readonly email: string;
  readonly subject: string;
  /** The address to store; null for an address without an account. */
  readonly stored_email: string | null;
}

type IssuedMail = Pick<OutgoingMail<'login_code' | 'password_reset'>, 'template' | 'params' | 'expires_at'> & {
  readonly id: string;
};

interface MailRequest {
  readonly action: 'auth.email_otp.requested' | 'auth.password_reset.requested';
  readonly issue: (tx: Tx, to: Addressee, now: Date) => Promise<IssuedMail>;
}

/**
 * §4.4, §4.6: anyone may send any body, and the response reveals nothing. For an address without an active account the
 * same statements run as for every other: a token that is never sent, a mail that the worker discards, an audit row.
 * The time that the database saves by finding no row is hidden by a response at a fixed time. See decision 13.
 */
export const answerByMail = (deps: Deps, caller: Caller, body: unknown, request: MailRequest): Promise<void> =>
  inFixedTime(() => answer(deps, caller, body, request));

async function answer(deps: Deps, caller: Caller, body: unknown, { action, issue }: MailRequest): Promise<void> {
  if (!deps.mail.transport()) throw cannotMail();
  const email = addressIn(body);
  if (email === undefined || !(await mayMail(deps, caller, { kind: 'asked', email }))) return;
  const account = await findAddressee(deps.db, email);
  // Computed for every address, so that the time does not reveal whether there is an account.
  const derived = decoyUserId(deps.keyring, email);
  const subject = account?.id ?? derived;
  const to = { email, subject, stored_email: account ? email : null };

  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const mail = await issue(tx, to, now);
    await enqueueMail(tx, deps.mail, {
      ...mail,
      locale: chooseLocale(account?.locale, deps.config.DEFAULT_LOCALE),
      to: email,
      discard: account === undefined,
    });
    await recordAudit(tx, caller, {
      action,
      now,
      resource_type: 'user',
      // The submitted text is not stored: users mistype passwords into this field.
      resource_id: account?.id ?? NIL_UUID,
      // No actor, because anyone may request a mail to any address.
      actor_id: null,
      organization_id: account?.organization_id ?? NIL_UUID,
      outcome: account ? 'success' : 'failure',
      metadata: {},
    });
  });
}

/** Replaces the user id for an address without an account: stable, and not linkable to the address without the key. */
export const decoyUserId = ({ current }: Keyring, email: string): string =>
  uuidFrom(hmac(current.derive('nobody'), email));

function addressIn(body: unknown): string | undefined {
  const typed = (body as { email?: unknown } | null | undefined)?.email;
  return typeof typed === 'string' && isEmail(typed) ? normalizeEmail(typed) : undefined;
}

const cannotMail = () =>
  new ServiceError('internal_error', 'internal server error', {
    cause: new Error('no mail transport is configured'),
  });
