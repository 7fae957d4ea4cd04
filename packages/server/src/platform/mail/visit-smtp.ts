import { setTimeout as sleep } from 'node:timers/promises';
import type { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { failureOf } from './smtp.ts';

interface Server {
  /** As for mails: smtp:// or smtps://. */
  readonly url: string;
  /** Milliseconds for one visit. */
  readonly timeoutMs: number;
}

/** What came of a visit that delivers nothing. `reason` is a word as for a mail; `code` what the network or TLS said. */
export type SmtpVisit =
  | { readonly welcome: true; readonly encrypted: boolean }
  | { readonly welcome: false; readonly reason: string; readonly code: string | undefined };

/**
 * Connects, asks for TLS, signs in, and leaves: whether the server would take a mail from us. TLS is asked for first; without it only
 * where the server has none, as a mail would leave.
 */
export async function visitSmtp({ url, timeoutMs }: Server): Promise<SmtpVisit> {
  const { createTransport } = await import('nodemailer');
  const mayEncrypt = new URL(url).searchParams.get('ignoreTLS') !== 'true';
  const first = await visitOnce(createTransport, { url, timeoutMs, requireTLS: mayEncrypt });
  const hasNone = !first.welcome && first.reason === 'tls' && first.code === undefined;
  // Where the address itself requires it, this one fails as well: what it says goes before what is asked for here.
  return hasNone ? visitOnce(createTransport, { url, timeoutMs, requireTLS: false }) : first;
}

interface Visit extends Server {
  readonly requireTLS: boolean;
}

async function visitOnce(create: typeof createTransport, { url, timeoutMs, requireTLS }: Visit): Promise<SmtpVisit> {
  const { username, protocol } = new URL(url);
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  // A server that offers no way to sign in refuses the mail later.
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
  const giveUp = sleep(timeoutMs, undefined, { signal: done.signal }).then(
    () => ({ welcome: false, reason: 'timeout', code: undefined }) as const,
  );
  try {
    const visit = transport
      .verify()
      .then(() => ({ welcome: true, encrypted: requireTLS || protocol === 'smtps:' }) as const);
    return await Promise.race([visit, giveUp]);
  } catch (error) {
    return refusalOf(error);
  } finally {
    giveUp.catch(() => {});
    done.abort();
    transport.close();
  }
}

function refusalOf(error: unknown): SmtpVisit {
  const { code, originalCode } = error as { code?: unknown; originalCode?: unknown };
  const told = [originalCode, code].find((word) => typeof word === 'string' && /^[A-Z0-9_]+$/.test(word)) as
    | string
    | undefined;
  if (code === 'EAUTH' || code === 'ENOAUTH') return { welcome: false, reason: 'credentials', code: undefined };
  if (code === 'ETLS') return { welcome: false, reason: 'tls', code: told === 'ETLS' ? undefined : told };
  const { reason } = failureOf(error);
  return { welcome: false, reason, code: told === 'ESOCKET' || told === 'ECONNECTION' ? undefined : told };
}
