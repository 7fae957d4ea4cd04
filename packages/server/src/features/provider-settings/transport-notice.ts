import { v7 as uuid } from 'uuid';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { userSession } from '../../domain/kernel/principal.ts';
import { enqueueMail } from '../../domain/mail/enqueue.ts';
import { type BoundTransport, bindTransport } from '../../domain/mail/transport.ts';
import type { ProviderRow } from '../../domain/provider-settings/queries.ts';
import { resolveProvider } from '../../domain/provider-settings/resolve.ts';
import { listOwnersToNotify, noticeTo } from '../../domain/users/notify.ts';
import { after as later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/connect.ts';

/** Seconds for which a mail with the replaced secret stays queued if the earlier transport does not work. */
const LIFETIME = 3600;

interface Change {
  readonly before: ProviderRow | undefined;
  readonly after: ProviderRow;
}

/**
 * docs/reference/operations.md#notices: when the active transport has changed, every platform owner is notified twice,
 * over the transport that was active before and over the new one. Each mail is bound to its transport, because replicas
 * learn of the change at different times and the earlier secret has been overwritten.
 */
export async function notifyOfTransport(tx: Tx, deps: Deps, caller: Caller, { before, after }: Change): Promise<void> {
  const [earlier, current] = [before, after].map((row) => transportOf(deps, row));
  if (isSame(earlier, current)) return;
  const changed_by = userSession(caller.principal)?.email ?? deps.config.BRAND_NAME;
  const now = deps.clock.now();
  const owners = await listOwnersToNotify(tx, deps, { about: 'mail transport' });
  const notifyOwners = async (over: 'new' | 'earlier', via: BoundTransport | undefined, msecs: number) => {
    for (const owner of via ? owners : []) {
      const notice = noticeTo(deps, owner, { template: 'mail_transport_changed', params: { changed_by, over } });
      await enqueueMail(tx, deps.mail, { ...notice, id: uuid({ msecs }), expires_at: later(now, LIFETIME), via: via! });
    }
  };
  await notifyOwners('new', current, now.getTime());
  // Mails are sent one by one in the order of their ids: the earlier transport, which may not work, comes last.
  await notifyOwners('earlier', earlier, now.getTime() + 1);
}

const transportOf = ({ config, configKeyring: keyring }: Deps, row: ProviderRow | undefined) =>
  bindTransport(resolveProvider('email_transport', row, { config, keyring }), config);

function isSame(left: BoundTransport | undefined, right: BoundTransport | undefined): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return left === right;
  return left.secret === right.secret && left.from === right.from;
}
