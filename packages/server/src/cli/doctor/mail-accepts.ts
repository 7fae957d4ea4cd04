import type { ProviderStates } from '../../domain/providers/states.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type ApiAnswer, askMailApi } from '../../platform/mail/ask-api.ts';
import { type SmtpVisit, visitSmtp } from '../../platform/mail/visit-smtp.ts';
import { type Finding, ok, warning } from './finding.ts';
import { certificateFault, inWords } from './network-words.ts';
import { isLoopback } from './site.ts';

const API = 'mail API';
const SERVER = 'mail server';
/** Milliseconds for one question. */
const PATIENCE = 4_000;

/** Whether the transport in force would take a mail, without sending one. Nothing where mails go to a folder, or nowhere. */
export async function examineMailAccepts(
  config: Config,
  providers: Pick<ProviderStates, 'find'>,
  timeoutMs = PATIENCE,
): Promise<Finding[]> {
  const { settings, source } = providers.find('email_transport');
  if (settings) {
    const key = source === 'stored' ? 'the stored key' : 'EMAIL_API_KEY';
    const question = { baseUrl: config.EMAIL_API_BASE_URL!, apiKey: settings.secret, timeoutMs };
    return [judgeApi(key, await askMailApi(question))];
  }
  if (config.SMTP_URL === undefined) return [];
  return [judgeServer(config.SMTP_URL, await visitSmtp({ url: config.SMTP_URL, timeoutMs }))];
}

function judgeApi(key: string, answer: ApiAnswer): Finding {
  const { certificate, words } = 'reason' in answer ? silence(answer.reason, answer.code) : NOTHING;
  if (certificate) return warning(API, `cannot be trusted: ${certificate.why}`, certificate.fix);
  const reach = 'See that EMAIL_API_BASE_URL is right, and that a firewall lets this machine out to it.';
  if (!('status' in answer)) return warning(API, `cannot be asked: ${words}`, reach);
  const { status, sendsOnly } = answer;
  if (sendsOnly) return ok(API, `accepts ${key}, for sending alone`);
  if (status >= 200 && status < 300) {
    return ok(API, `accepts ${key}; the domain of the sender must be verified there too`);
  }
  if ([400, 401, 403].includes(status)) {
    const fix = 'Make a new key at the provider, and set it as EMAIL_API_KEY or store it in the console.';
    return warning(API, `refuses ${key} (HTTP ${status}): no mail can be sent`, fix);
  }
  if (status === 429 || status >= 500) {
    return warning(
      API,
      `has no time for it now (HTTP ${status})`,
      'Try again in a minute. Mails wait and are sent later.',
    );
  }
  return warning(API, `answers something else than a mail API would (HTTP ${status})`, reach);
}

const NOTHING = { certificate: undefined, words: '' };

const silence = (reason: string, code: string | undefined) => ({
  certificate: certificateFault(code),
  words: reason === 'timeout' ? `it does not answer within ${PATIENCE / 1000} seconds` : inWords(code),
});

/** Host and port, and nothing of the password. */
const placeOf = (url: string): string => new URL(url).host;

/** What a visit to the server of SMTP_URL means. */
export function judgeServer(url: string, visit: SmtpVisit): Finding {
  const place = placeOf(url);
  if (visit.welcome) return judgeWelcome(url, visit.encrypted);
  const { reason, code } = visit;
  if (reason === 'credentials') {
    return warning(
      SERVER,
      `${place} refuses user and password`,
      'Correct them in SMTP_URL; write @ : / in a password as %40 %3A %2F.',
    );
  }
  const { certificate, words } = silence(reason, code);
  if (certificate) return warning(SERVER, `${place} cannot be trusted: ${certificate.why}`, certificate.fix);
  if (/^smtp_/.test(reason)) {
    return warning(
      SERVER,
      `${place} turns us away (${reason.slice(5)})`,
      'Ask its operator what it takes to send through it; the log of that server says why.',
    );
  }
  const fix =
    'Correct host and port in SMTP_URL (smtps:// has 465, smtp:// has 587), and see that a firewall lets this machine out to it.';
  return warning(
    SERVER,
    `${place} cannot be asked: ${reason === 'tls' ? 'it does not offer TLS, which SMTP_URL requires' : words}`,
    fix,
  );
}

function judgeWelcome(url: string, encrypted: boolean): Finding {
  const { hostname, protocol, searchParams, username } = new URL(url);
  const who = username === '' ? 'lets us in without a password' : 'accepts user and password';
  const place = placeOf(url);
  if (isLoopback(hostname) || protocol === 'smtps:') return ok(SERVER, `${place} ${who}`);
  const fix = 'Write smtps:// in SMTP_URL, or append ?requireTLS=true to it.';
  if (!encrypted)
    return warning(
      SERVER,
      `${place} ${who}, and nothing is encrypted: mails and password are readable on the way`,
      fix,
    );
  if (searchParams.get('requireTLS') === 'true') return ok(SERVER, `${place} ${who}, encrypted`);
  const detail = `${place} ${who}, encrypted; but whoever is in between can take that away, since smtp:// goes on without`;
  return warning(SERVER, detail, fix);
}
