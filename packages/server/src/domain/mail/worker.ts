import { setTimeout as sleep } from 'node:timers/promises';
import { after, type Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Keyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import type { Logger } from '../../platform/log.ts';
import { attemptMail, nextAttempt, type Outcome } from './attempt.ts';
import {
  type ClaimedMail,
  claimMails,
  isBound,
  updateExpiredMails,
  updateFailedMail,
  updateRetriedMail,
  updateSentMail,
} from './queries.ts';
import type { Outlets } from './transport.ts';

export interface MailWorkerDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  keyring: Keyring;
  outlets: Outlets;
  config: Pick<Config, 'PUBLIC_BASE_URL'>;
  /** For metrics. */
  observe?: (outcome: 'sent' | 'retried' | 'failed' | 'expired', count: number) => void;
}

export interface MailWorker {
  start(): void;
  /** Takes up nothing new, waits for the sends under way, then closes the outlets. */
  stop(): Promise<void>;
  /** There may be something to send. */
  wake(): void;
  /** Sends everything that is due now; for tests and commands. */
  drain(): Promise<void>;
}

const POLL_EVERY = 2_000;
const CONCURRENCY = 4;
const EXPIRE_BATCH = 500;
/** Seconds; longer than any transport takes for one attempt. */
const LEASE = 60;

/**
 * Sends what is queued. Any number of workers share the queue: a claim is exclusive, and a mail whose worker died is sent
 * again under the same id. Nothing that happens here throws: the queue outlives outages of the database and of the mail server.
 */
export function createMailWorker(deps: MailWorkerDeps): MailWorker {
  const { db, clock, log, keyring, outlets, config } = deps;
  const underWay = new Set<Promise<void>>();
  /** Sends mails that are bound to a transport one at a time: a transport that does not work delays only those. */
  let boundUnderWay: Promise<void> | undefined;
  let boundBacklog = false;
  /** Sent, but the database could not be told yet: never sent a second time from here. */
  const unrecorded = new Set<string>();
  const turn = createTurn(log);
  let pausedUntil = new Date(0);
  let backlog = false;
  let stopped = false;
  let wanted = false;
  let rouse = () => {};

  const wake = (): void => {
    wanted = true;
    rouse();
  };

  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      turn('database', 'working');
    } catch (error) {
      turn('database', 'failing', { err: error });
    }
  };

  const record = async (mail: ClaimedMail, outcome: Outcome): Promise<void> => {
    const now = clock.now();
    if (outcome.result === 'sent') {
      unrecorded.add(mail.id);
      await updateSentMail(db, { id: mail.id, now });
      unrecorded.delete(mail.id);
      deps.observe?.('sent', 1);
      return;
    }
    const failure = { id: mail.id, attempts: mail.attempts, last_error: outcome.reason };
    // A bound mail is attempted again even if its transport asks for a pause: otherwise it could wait until it expires.
    const passing = outcome.result === 'retry' && !isBound(mail) ? outcome.passing : undefined;
    const next = passing ? after(now, passing.after) : nextAttempt(now, mail.attempts);
    if (outcome.result === 'failed' || !next) {
      await updateFailedMail(db, { ...failure, now });
      log.error({ mail_id: mail.id, template: mail.template, reason: outcome.reason }, 'a mail was given up');
      deps.observe?.('failed', 1);
      return;
    }
    if (passing) pausedUntil = next;
    await updateRetriedMail(db, { ...failure, next_attempt_at: next, counted: !passing });
    deps.observe?.('retried', 1);
  };

  /** Updates the state of the active transport after an attempt. */
  const judgeTransport = (mail: ClaimedMail, outcome: Outcome): void => {
    if (outcome.result === 'sent' && !mail.discard) turn('transport', 'working');
    if (outcome.result === 'retry' && !outcome.passing && !outcome.unasked)
      turn('transport', 'failing', { reason: outcome.reason });
  };

  const deliver = (mail: ClaimedMail): Promise<void> =>
    guarded(async () => {
      const known = unrecorded.has(mail.id);
      const outcome: Outcome = known
        ? { result: 'sent' }
        : await attemptMail(mail, { keyring, outlets, site: config.PUBLIC_BASE_URL });
      if (!isBound(mail)) judgeTransport(mail, outcome);
      await record(mail, outcome);
    });

  const beginBound = (mail: ClaimedMail): void => {
    boundUnderWay = deliver(mail).finally(() => {
      boundUnderWay = undefined;
      wake();
    });
  };

  const begin = (mail: ClaimedMail): void => {
    const sending = deliver(mail).finally(() => {
      underWay.delete(sending);
      if (backlog) wake();
    });
    underWay.add(sending);
  };

  const fill = (): Promise<void> =>
    guarded(async () => {
      backlog = false;
      if (!boundUnderWay) boundBacklog = false;
      const now = clock.now();
      const expired = await updateExpiredMails(db, { now, limit: EXPIRE_BATCH });
      if (expired > 0) deps.observe?.('expired', expired);
      if (stopped) return;
      const canSend = outlets.current() !== undefined;
      if (!canSend) turn('transport', 'missing');
      const mayClaim = canSend && now >= pausedUntil;
      const limit = mayClaim ? CONCURRENCY - underWay.size : 0;
      const bound = boundUnderWay ? 0 : 1;
      // With every slot in use nothing is claimed: the next mail that ends starts another claim.
      backlog = mayClaim && limit === 0;
      if (limit + bound === 0) return;
      const claimed = await claimMails(db, { now, leased_until: after(now, LEASE), limit, bound });
      const mails = claimed.filter((mail) => !isBound(mail));
      for (const mail of claimed) (isBound(mail) ? beginBound : begin)(mail);
      if (claimed.length > mails.length) boundBacklog = true;
      backlog = (mayClaim && mails.length === limit) || expired === EXPIRE_BATCH;
    });

  // One look at the queue at a time, so that two together never take more than there is room for.
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking.then(fill);
    return looking;
  };

  const run = async (): Promise<void> => {
    while (!stopped) {
      wanted = false;
      await look();
      if (wanted || stopped) continue;
      const timer = new AbortController();
      const woken = new Promise<void>((resolve) => {
        rouse = resolve;
      });
      await Promise.race([sleep(POLL_EVERY, undefined, { signal: timer.signal, ref: false }).catch(() => {}), woken]);
      timer.abort();
    }
  };

  let loop: Promise<void> = Promise.resolve();
  return {
    start() {
      loop = run();
    },
    async stop() {
      stopped = true;
      rouse();
      await loop;
      await looking;
      await Promise.all([...underWay, boundUnderWay]);
      await outlets.close();
    },
    wake,
    async drain() {
      do {
        await look();
        const sends = [...underWay, ...(boundUnderWay ? [boundUnderWay] : [])];
        if (sends.length > 0) await Promise.race(sends);
      } while (backlog || boundBacklog || boundUnderWay || underWay.size > 0);
    },
  };
}

type Subject = 'database' | 'transport';
type Condition = 'working' | 'failing' | 'missing';

const LINES: Record<Subject, Partial<Record<Condition, string>>> = {
  database: {
    failing: 'the mail queue lost the database; trying again',
    working: 'the mail queue has its database again',
  },
  transport: {
    failing: 'mail cannot be sent at the moment; it waits and is tried again',
    missing: 'no mail transport is configured; mail waits until it expires',
    working: 'mail is sent again',
  },
};

/** One line when a condition changes, and none while it lasts. */
function createTurn(log: Logger) {
  const current: Record<Subject, Condition> = { database: 'working', transport: 'working' };
  return (subject: Subject, next: Condition, details: object = {}): void => {
    if (current[subject] === next) return;
    current[subject] = next;
    log[next === 'working' ? 'info' : 'warn'](details, LINES[subject][next]);
  };
}
