import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Logger } from '../../platform/log.ts';
import { createQueue, type Observe, type Outcome, type Queue } from '../../platform/queue/queue.ts';
import { attemptMail } from './attempt.ts';
import {
  type ClaimedMail,
  claimMails,
  LEASE_SECONDS,
  laneOf,
  updateExpiredMails,
  updateFailedMail,
  updateRetriedMail,
  updateSentMail,
} from './queries.ts';
import type { MailBrand } from './templates/mail-text.ts';
import type { Outlets } from './transport.ts';

export interface MailWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  outlets: Outlets;
  config: Pick<Config, 'PUBLIC_BASE_URL' | BrandSetting>;
  observe?: Observe;
}

type BrandSetting = 'BRAND_NAME' | 'BRAND_COLOR' | 'SUPPORT_URL' | 'PRIVACY_URL' | 'TERMS_URL';

const mailBrandOf = (config: Pick<Config, BrandSetting>): MailBrand => ({
  name: config.BRAND_NAME,
  color: config.BRAND_COLOR ?? null,
  support_url: config.SUPPORT_URL ?? null,
  privacy_url: config.PRIVACY_URL ?? null,
  terms_url: config.TERMS_URL ?? null,
});

/** In seconds. */
export const RETRY_DELAYS = [5, 15, 60, 300, 900, 3600, 3600];

/** Sends the queued mails. Each attempt uses the mail's id as idempotency key, so providers detect duplicates. */
export function createMailWorker({ db, clock, log, keyring, outlets, config, observe }: MailWorkerDeps): Queue {
  const reportTransport = createTransportLog(log);
  const brand = mailBrandOf(config);

  const canSend = (): boolean => {
    const isConfigured = outlets.current() !== undefined;
    if (!isConfigured) reportTransport('missing');
    return isConfigured;
  };

  const attempt = async (mail: ClaimedMail): Promise<Outcome> => {
    const outcome = await attemptMail(mail, { keyring, outlets, site: config.PUBLIC_BASE_URL, brand });
    const isPause = outcome.result === 'retry' && outcome.pauseSeconds !== undefined;
    if (laneOf(mail) === 'bound') {
      // Counts the attempt even if the transport asks for a pause: otherwise the mail could wait until it expires.
      return isPause ? { result: 'retry', reason: outcome.reason } : outcome;
    }
    if (outcome.result === 'done' && !mail.discard) reportTransport('working');
    if (outcome.result === 'retry' && !isPause && !outcome.transportUnused) reportTransport('failing', outcome.reason);
    return outcome;
  };

  const queue = createQueue({
    name: 'mail',
    clock,
    log,
    store: {
      claim: (claim) => claimMails(db, claim),
      finish: (mail) => updateSentMail(db, mail),
      retry: (mail) => updateRetriedMail(db, mail),
      fail: (mail) => updateFailedMail(db, mail),
      expire: (batch) => updateExpiredMails(db, batch),
    },
    lanes: {
      regular: { concurrency: 4, isOpen: canSend },
      // One at a time: the earlier transport of these mails may no longer work.
      bound: { concurrency: 1 },
    },
    laneOf,
    leaseSeconds: LEASE_SECONDS,
    retryDelays: RETRY_DELAYS,
    attempt,
    onFailed: ({ id, template }, reason) =>
      log.error({ mail_id: id, template, reason }, 'a mail could not be delivered'),
    observe,
  });
  return {
    ...queue,
    async stop() {
      await queue.stop();
      await outlets.close();
    },
  };
}

const TRANSPORT_MESSAGES = {
  failing: 'mail cannot be sent; it stays queued and will be retried',
  missing: 'no mail transport is configured; mail stays queued until it expires',
  working: 'mail can be sent again',
};

/** Logs the state of the active transport, but only when it changes. */
function createTransportLog(log: Logger) {
  let current: keyof typeof TRANSPORT_MESSAGES = 'working';
  return (next: typeof current, reason?: string): void => {
    if (current === next) return;
    current = next;
    log[next === 'working' ? 'info' : 'warn'](reason === undefined ? {} : { reason }, TRANSPORT_MESSAGES[next]);
  };
}
