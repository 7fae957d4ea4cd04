import type { Config } from '../../platform/config/settings.ts';
import { startCommand } from '../support/cli-command.ts';
import { printable } from '../support/text.ts';
import { askAddress, type Heard, localAddress, REQUEST_TIMEOUT_MS } from './ask-address.ts';
import { type Finding, ok, warning } from './finding.ts';
import { certificateFault, inWords } from './network-words.ts';

const CHECK = 'address';

/** The responses at PUBLIC_BASE_URL and, if that is not a Gatehouse, at the local port. */
interface Responses {
  readonly outside: Heard;
  readonly inside: Heard | undefined;
}

export async function askAddresses(config: Config, timeoutMs = REQUEST_TIMEOUT_MS): Promise<Responses> {
  const outside = await askAddress(config.PUBLIC_BASE_URL, timeoutMs);
  const local = localAddress(config);
  const isAsked = outside.kind !== 'gatehouse' && local !== undefined && local !== config.PUBLIC_BASE_URL;
  return { outside, inside: isAsked ? await askAddress(local, timeoutMs) : undefined };
}

/**
 * Compares PUBLIC_BASE_URL with what is served there. The finding is never `failed`: before the first start or a move,
 * it is normal that something else or nothing answers. `kids`: the ids of the signing keys in this database; undefined
 * if it could not be queried.
 */
export function examineAddress(config: Config, { outside, inside }: Responses, kids?: readonly string[]): Finding {
  const url = config.PUBLIC_BASE_URL;
  if (outside.kind === 'gatehouse') return examineIdentity(config, outside, kids);
  if (outside.kind === 'redirect') return examineRedirect(url, outside.to);
  const { what, fix, certain } = outside.kind === 'other' ? otherOf(url, outside) : silenceOf(url, outside);
  const where = localAddress(config);
  if (inside?.kind === 'silent') return warning(CHECK, `${what}; nothing answers at ${where} either`, fix);
  if (inside?.kind !== 'gatehouse') return warning(CHECK, what, fix);
  if (kids !== undefined && !inside.kids.some((kid) => kids.includes(kid))) {
    return warning(
      CHECK,
      `${what}; another Gatehouse answers at ${where}`,
      `${fix} Check that PORT and HOST are those of this service.`,
    );
  }
  const lead = `Route ${url} to ${where}: docs/operating.md, "Behind a proxy".`;
  return warning(CHECK, `${what}; the service itself answers at ${where}`, certain ? fix : lead);
}

function examineIdentity(
  { PUBLIC_BASE_URL: url }: Config,
  { issuer, kids }: Of<'gatehouse'>,
  own?: readonly string[],
): Finding {
  if (own !== undefined && !kids.some((kid) => own.includes(kid))) {
    const detail = `another Gatehouse answers at ${url}: its keys are not those of this database`;
    const fix =
      'Correct DATABASE_URL, DATA_DIR or PUBLIC_BASE_URL here, or the target of the proxy. Before a move to this database, this is expected.';
    return warning(CHECK, detail, fix);
  }
  if (issuer !== url) {
    const detail = `the service at ${url} has the issuer ${printable(issuer)}: it was started with other settings`;
    return warning(CHECK, detail, `Restart it with PUBLIC_BASE_URL=${url}, or set PUBLIC_BASE_URL here to its issuer.`);
  }
  if (own === undefined)
    return ok(CHECK, `a Gatehouse answers at ${url}; without the database it is unknown whether it is this one`);
  return ok(CHECK, `this service answers at ${url}`);
}

type Of<Kind extends Heard['kind']> = Extract<Heard, { kind: Kind }>;

function examineRedirect(url: string, to: string | undefined): Finding {
  const isUpgrade = to === url.replace(/^http:/, 'https:');
  if (to === undefined || to === url) {
    return warning(
      CHECK,
      `${url} answers with a redirect`,
      `Route /.well-known and all other paths of ${url} to the service.`,
    );
  }
  const why = isUpgrade ? 'cookies and links must use the https address' : 'links and cookies use the wrong address';
  // Recommends a new value only for the same host: the redirect may come from a captive portal or an attacker, and
  // links in mails use this setting.
  const fix = isSameHost(url, to)
    ? `Set PUBLIC_BASE_URL=${to}`
    : `If ${to} is the public address of the service, set PUBLIC_BASE_URL to it. If it is a sign-in page or a portal of a proxy, route /.well-known and all other paths of ${url} to the service.`;
  return warning(CHECK, `${url} redirects to ${to}: ${why}`, fix);
}

const isSameHost = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((url) => new URL(url).hostname.replace(/^www\./, ''));
  return a === b;
};

interface Diagnosis {
  readonly what: string;
  readonly fix: string;
  /** Set if the response itself shows the fault. Otherwise the service may be down, or the route to it wrong. */
  readonly certain?: true;
}

const START = `Start the service: ${startCommand()}. If it runs with another PORT, run this command with the same PORT.`;

function otherOf(url: string, { status, server }: Of<'other'>): Diagnosis {
  const who = server === undefined ? '' : ` from ${server}`;
  if (status >= 502 && status <= 504) {
    return { what: `a proxy answers at ${url} but does not reach the service (HTTP ${status}${who})`, fix: START };
  }
  if (status === 429) {
    const what = `the server at ${url} is overloaded or limits requests (HTTP 429${who})`;
    return { what, fix: 'Run this again later.', certain: true };
  }
  const what = `something else answers at ${url} (HTTP ${status}${who})`;
  return { what, fix: 'Correct PUBLIC_BASE_URL, or route all paths of that host to the service.' };
}

function silenceOf(url: string, { reason, code = '' }: Of<'silent'>): Diagnosis {
  const certificate = certificateFault(code);
  if (certificate) {
    return {
      what: `the certificate of ${url} is not trusted: ${certificate.why}`,
      fix: certificate.fix,
      certain: true,
    };
  }
  const why =
    reason === 'timeout'
      ? `it does not answer within ${REQUEST_TIMEOUT_MS / 1000} seconds`
      : inWords(code || undefined);
  if (/^(ENOTFOUND|EAI_)/.test(code)) {
    const fix = 'Add the host name to DNS, or correct PUBLIC_BASE_URL.';
    return { what: `nothing answers at ${url}: ${why}`, fix, certain: true };
  }
  if (/^(EPROTO$|ERR_SSL_|HPE_)/.test(code)) {
    const fix = 'Correct the scheme (http or https) and the port in PUBLIC_BASE_URL.';
    return { what: `${url} cannot be queried: ${why}`, fix, certain: true };
  }
  const what = `nothing answers at ${url}: ${why} (the service is not running, or the proxy does not route to it)`;
  return { what, fix: `${START} If clients reach it and only this machine does not, ignore this.` };
}
