import type { ProviderStates } from '../../domain/provider-settings/states.ts';
import type { Config } from '../../platform/config/settings.ts';
import { type ApiAnswer, askMailApi } from '../../platform/mail/ask-api.ts';
import { type SmtpVisit, visitSmtp } from '../../platform/mail/visit-smtp.ts';
import { type Finding, ok, warning } from './finding.ts';
import { certificateFault, inWords } from './network-words.ts';
import { isLoopback } from './site.ts';

const API = 'mail API';
const SERVER = 'mail server';
const SMTP_TIMEOUT_MS = 4_000;

/** Whether the active transport would accept a mail. Sends none. No finding if mails go to a folder or nowhere. */
export async function examineMailAccepts(
  config: Config,
  providers: Pick<ProviderStates, 'find'>,
  timeoutMs = SMTP_TIMEOUT_MS,
): Promise<Finding[]> {
  const { settings, source } = providers.find('email_transport');
  if (settings) {
    const key = source === 'stored' ? 'the stored key' : 'EMAIL_API_KEY';
    const query = { baseUrl: config.EMAIL_API_BASE_URL!, apiKey: settings.secret, timeoutMs };
    return [assessApi(key, await askMailApi(query))];
  }
  if (config.SMTP_URL === undefined) return [];
  return [checkServer(config.SMTP_URL, await visitSmtp({ url: config.SMTP_URL, timeoutMs }))];
}

function assessApi(key: string, answer: ApiAnswer): Finding {
  const { certificate, words } = 'reason' in answer ? silence(answer.reason, answer.code) : NOTHING;
  if (certificate) return warning(API, `its certificate is not trusted: ${certificate.why}`, certificate.fix);
  const reach = 'Check that EMAIL_API_BASE_URL is correct and that the firewall allows connections to it.';
  if (!('status' in answer)) return warning(API, `cannot be queried: ${words}`, reach);
  const { status, sendsOnly } = answer;
  if (sendsOnly) return ok(API, `accepts ${key}, for sending only`);
  if (status >= 200 && status < 300) {
    return ok(API, `accepts ${key}; the sender's domain must be verified there too`);
  }
  if ([400, 401, 403].includes(status)) {
    const fix = 'Create a new key at the provider, and set it as EMAIL_API_KEY or store it in the console.';
    return warning(API, `rejects ${key} (HTTP ${status}): no mail can be sent`, fix);
  }
  if (status === 429 || status >= 500) {
    return warning(
      API,
      `is overloaded or limits requests (HTTP ${status})`,
      'Try again in a minute. Queued mails are sent later.',
    );
  }
  return warning(API, `does not respond like a mail API (HTTP ${status})`, reach);
}

const NOTHING = { certificate: undefined, words: '' };

const silence = (reason: string, code: string | undefined) => ({
  certificate: certificateFault(code),
  words: reason === 'timeout' ? `it does not answer within ${SMTP_TIMEOUT_MS / 1000} seconds` : inWords(code),
});

/** Host and port, without the password. */
const placeOf = (url: string): string => new URL(url).host;

export function checkServer(url: string, visit: SmtpVisit): Finding {
  const place = placeOf(url);
  if (visit.welcome) return assessEncryption(url, visit.encrypted);
  const { reason, code } = visit;
  if (reason === 'credentials') {
    return warning(
      SERVER,
      `${place} rejects the user and password`,
      'Correct them in SMTP_URL; encode @ : / in a password as %40 %3A %2F.',
    );
  }
  const { certificate, words } = silence(reason, code);
  if (certificate)
    return warning(SERVER, `the certificate of ${place} is not trusted: ${certificate.why}`, certificate.fix);
  if (/^smtp_/.test(reason)) {
    return warning(
      SERVER,
      `${place} rejects the connection (${reason.slice(5)})`,
      "Look for the reason in that server's log, or ask its operator.",
    );
  }
  const fix =
    'Correct the host and port in SMTP_URL (default port: smtps:// 465, smtp:// 587), and check that the firewall allows connections to it.';
  return warning(
    SERVER,
    `${place} cannot be queried: ${reason === 'tls' ? 'it does not offer TLS, which SMTP_URL requires' : words}`,
    fix,
  );
}

function assessEncryption(url: string, encrypted: boolean): Finding {
  const { hostname, protocol, searchParams, username } = new URL(url);
  const who = username === '' ? 'accepts connections without a password' : 'accepts the user and password';
  const place = placeOf(url);
  if (isLoopback(hostname) || protocol === 'smtps:') return ok(SERVER, `${place} ${who}`);
  const fix = 'Use smtps:// in SMTP_URL, or append ?requireTLS=true to it.';
  if (!encrypted)
    return warning(
      SERVER,
      `${place} ${who}, but without encryption: mails and the password can be read on the network`,
      fix,
    );
  if (searchParams.get('requireTLS') === 'true') return ok(SERVER, `${place} ${who}, encrypted`);
  const detail = `${place} ${who}, encrypted; but an attacker on the network can disable the encryption, because smtp:// does not require it`;
  return warning(SERVER, detail, fix);
}
