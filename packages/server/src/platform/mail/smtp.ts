import { setTimeout as sleep } from 'node:timers/promises';
import type { createTransport } from 'nodemailer';
import { checkMessage, MailError, type MailMessage, type MailTransport } from './message.ts';

interface SmtpOptions {
  /** smtp:// or smtps://, with user and password if the server requires them. */
  url: string;
  /** Milliseconds for one attempt; below the lease of a claimed mail. */
  timeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;
const TIMEOUT_MS = 40_000;
const CONNECTIONS = 4;

type Pool = ReturnType<typeof openPool>;

/** SMTP has no idempotency keys: a mail accepted during a crash is sent twice, but with the same Message-ID. */
export function createSmtpTransport({ url, timeoutMs = TIMEOUT_MS }: SmtpOptions): MailTransport {
  let opening: Promise<Pool> | undefined;
  const open = async (): Promise<Pool> => openPool((await import('nodemailer')).createTransport, url);

  /** Needed because a server that responds byte by byte evades all other timeouts. */
  const failAfterTimeout = async (pool: Pool, signal: AbortSignal): Promise<never> => {
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
        await Promise.race([pool.sendMail(compose(message, idempotencyKey)), failAfterTimeout(pool, done.signal)]);
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
    // Retries are done by the queue, which counts, delays and limits them.
    maxRequeues: 0,
    idleTimeout: 30_000,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
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
  // Suppresses vacation replies.
  headers: { 'Auto-Submitted': 'auto-generated' },
});

/** Not permanent errors: the operator may correct the password, and the queued mails must then still be there. */
const CREDENTIALS = new Set([530, 534, 535]);

/** Keeps only the code of the error, because the server's text may quote the recipient. */
export function failureOf(error: unknown): MailError {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
  if (typeof responseCode === 'number') {
    const permanent = responseCode >= 500 && responseCode < 600 && !CREDENTIALS.has(responseCode);
    return new MailError({ reason: `smtp_${responseCode}`, permanent });
  }
  return new MailError({ reason: code === 'ETIMEDOUT' ? 'timeout' : 'unreachable', permanent: false });
}
