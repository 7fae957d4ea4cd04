import { setTimeout as sleep } from 'node:timers/promises';
import type { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { failureOf } from './smtp.ts';

interface Server {
  readonly url: string;
  /** The timeout of the whole check. */
  readonly timeoutMs: number;
}

/** The result of a check without a mail. `reason` is as in MailError; `code` is an error code of network or TLS. */
export type SmtpVisit =
  | { readonly welcome: true; readonly encrypted: boolean }
  | { readonly welcome: false; readonly reason: string; readonly code: string | undefined };

/** Connects, starts TLS and signs in, as for a mail. Continues without TLS only if the server does not support it. */
export async function visitSmtp({ url, timeoutMs }: Server): Promise<SmtpVisit> {
  const { createTransport } = await import('nodemailer');
  const mayEncrypt = new URL(url).searchParams.get('ignoreTLS') !== 'true';
  const first = await visitOnce(createTransport, { url, timeoutMs, requireTLS: mayEncrypt });
  const hasNone = !first.welcome && first.reason === 'tls' && first.code === undefined;
  // If the URL itself requires TLS, the second attempt fails too, and its error is the one to report.
  return hasNone ? visitOnce(createTransport, { url, timeoutMs, requireTLS: false }) : first;
}

interface Visit extends Server {
  readonly requireTLS: boolean;
}

async function visitOnce(create: typeof createTransport, { url, timeoutMs, requireTLS }: Visit): Promise<SmtpVisit> {
  const { username, protocol } = new URL(url);
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  // `forceAuth`: a server that offers no authentication would reject the mail later.
  const options = {
    url,
    ...times,
    requireTLS,
    forceAuth: username !== '',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const transport = create(options as SMTPTransport.Options);
  const done = new AbortController();
  const timeout = sleep(timeoutMs, undefined, { signal: done.signal }).then(
    () => ({ welcome: false, reason: 'timeout', code: undefined }) as const,
  );
  try {
    const visit = transport
      .verify()
      .then(() => ({ welcome: true, encrypted: requireTLS || protocol === 'smtps:' }) as const);
    return await Promise.race([visit, timeout]);
  } catch (error) {
    return failedVisit(error);
  } finally {
    timeout.catch(() => {});
    done.abort();
    transport.close();
  }
}

function failedVisit(error: unknown): SmtpVisit {
  const { code, originalCode } = error as { code?: unknown; originalCode?: unknown };
  const cause = [originalCode, code].find((word) => typeof word === 'string' && /^[A-Z0-9_]+$/.test(word)) as
    | string
    | undefined;
  if (code === 'EAUTH' || code === 'ENOAUTH') return { welcome: false, reason: 'credentials', code: undefined };
  if (code === 'ETLS') return { welcome: false, reason: 'tls', code: cause === 'ETLS' ? undefined : cause };
  const { reason } = failureOf(error);
  return { welcome: false, reason, code: cause === 'ESOCKET' || cause === 'ECONNECTION' ? undefined : cause };
}
