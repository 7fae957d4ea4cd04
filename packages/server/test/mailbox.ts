import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../src/domain/context.ts';
import { mailFolderPath } from '../src/domain/mail/transport.ts';
import type { Clock } from '../src/platform/clock.ts';
import { openMailFolder, type StoredMail } from '../src/platform/mail/folder.ts';
import { TIMEOUT_MS } from './timeouts.ts';

export interface Mailbox {
  /** Waits until the queue is empty and returns the mails to this address since the last call. */
  take(email: string): Promise<StoredMail[]>;
  /** Like `take`, for all addresses: each call reads all mails. */
  takeAll(): Promise<StoredMail[]>;
  /** Returns the code of the only new mail that contains one. */
  takeCode(email: string): Promise<string>;
  /** Returns the token of the only new link to this page. */
  takeToken(email: string, page: Page): Promise<string>;
  settle(): Promise<void>;
}

type Page = 'reset-password' | 'verify-email' | 'accept-invitation';

export function openMailbox({ deps, clock }: { deps: Pick<Deps, 'config' | 'db' | 'mail'>; clock: Clock }): Mailbox {
  const folder = openMailFolder({ path: mailFolderPath(deps.config), clock });
  const taken = new Set<string>();

  const countWaiting = async (): Promise<number> => {
    const queued = deps.db.selectFrom('mails').select('id').where('state', '=', 'queued');
    return (await queued.execute()).length;
  };

  const settle = async (): Promise<void> => {
    const end = performance.now() + TIMEOUT_MS;
    while ((await countWaiting()) > 0) {
      if (performance.now() > end) throw new Error('mails are still waiting to be sent');
      deps.mail.wake();
      await sleep(5);
    }
  };

  const takeIf = async (isTaken: (mail: StoredMail) => boolean): Promise<StoredMail[]> => {
    await settle();
    const mails = (await folder.list()).filter((mail) => isTaken(mail) && !taken.has(mail.id));
    for (const { id } of mails) taken.add(id);
    return mails.reverse();
  };
  const take = (email: string): Promise<StoredMail[]> => takeIf(({ to }) => to === email);

  const takeOne = async (email: string, pattern: RegExp): Promise<string> => {
    const found = (await take(email)).flatMap(({ text }) => pattern.exec(text)?.[1] ?? []);
    if (found.length !== 1) throw new Error(`${found.length} mails to ${email} match ${pattern}`);
    return found[0]!;
  };

  return {
    take,
    takeAll: () => takeIf(() => true),
    takeCode: (email) => takeOne(email, /^ {4}(\d{6})$/m),
    takeToken: (email, page) => takeOne(email, new RegExp(`/${page}\\?token=([\\w-]+)$`, 'm')),
    settle,
  };
}
