import { setTimeout as sleep } from 'node:timers/promises';
import type { createTransport } from 'nodemailer';
import { checkMessage, MailError, type MailMessage, type MailTransport } from './message.ts';

interface SmtpOptions {
  /** smtp:// or smtps://, with user and password where the server asks for them. */
  url: string;
  /** Milliseconds for one attempt; below the lease of a claimed mail. */
  timeoutMs?: number;
}

const CONNECT_TIMEOUT = 10_000;
const SILENCE_TIMEOUT = 20_000;
const TIMEOUT = 40_000;
const CONNECTIONS = 4;

type Pool = ReturnType<typeof openPool>;

/**
 * A mail server. SMTP knows no idempotency key: a mail that was taken over in the very moment of a crash comes twice, but
 * with one Message-ID, by which most mailboxes show it once.
 */
export function createSmtpTransport({ url, timeoutMs = TIMEOUT }: SmtpOptions): MailTransport {
  let opening: Promise<Pool> | undefined;
  const open = async (): Promise<Pool> => openPool((await import('nodemailer')).createTransport, url);

  /** A server that trickles its answers escapes every other time limit. */
  const giveUp = async (pool: Pool, signal: AbortSignal): Promise<never> => {
    await sleep(timeoutMs, undefined, { signal });
    opening = undefined;
    pool.close({ force: true });
    throw new MailError({ reason: 'timeout', permanent: false });
  };

  return {
    name: 'smtp',
    async send(message, { idempotencyKey }) {
      checkMessage(message);
      opening ??= open();
      const pool = await opening;
      const done = new AbortController();
      try {
        await Promise.race([pool.sendMail(compose(message, idempotencyKey)), giveUp(pool, done.signal)]);
      } catch (error) {
        throw error instanceof MailError ? error : failureOf(error);
      } finally {
        done.abort();
      }
    },
    async close() {
      const pool = await opening;
      opening = undefined;
      pool?.close();
    },
  };
}

const openPool = (create: typeof createTransport, url: string) =>
  create({
    url,
    pool: true,
    maxConnections: CONNECTIONS,
    // Trying again is the queue's business: it counts, waits and knows when the mail is dead.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: CONNECT_TIMEOUT,
    greetingTimeout: CONNECT_TIMEOUT,
    socketTimeout: SILENCE_TIMEOUT,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

const compose = ({ from, to, subject, text, html }: MailMessage, key: string) => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  html,
  messageId: `<${key}@${/@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'gatehouse'}>`,
  // Asks mail servers not to answer with vacation notes.
  headers: { 'Auto-Submitted': 'auto-generated' },
});

/** Somebody corrects a password; the mails that wait for it must still be there. */
const CREDENTIALS = new Set([530, 534, 535]);

/** The server's words may quote the recipient, so only its number is kept. */
export function failureOf(error: unknown): MailError {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
  if (typeof responseCode === 'number') {
    const permanent = responseCode >= 500 && responseCode < 600 && !CREDENTIALS.has(responseCode);
    return new MailError({ reason: `smtp_${responseCode}`, permanent });
  }
  return new MailError({ reason: code === 'ETIMEDOUT' ? 'timeout' : 'unreachable', permanent: false });
}
