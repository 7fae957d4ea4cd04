import type { Config } from '../../platform/config/settings.ts';
import { starting } from '../support/ours.ts';
import { printable } from '../support/text.ts';
import { askAddress, type Heard, localAddress, PATIENCE } from './ask-address.ts';
import { type Finding, ok, warning } from './finding.ts';
import { certificateFault, inWords } from './network-words.ts';

const CHECK = 'address';

/** What was heard at PUBLIC_BASE_URL and, where that is not this service, at the port it should listen on. */
interface Listened {
  readonly outside: Heard;
  readonly inside: Heard | undefined;
}

export async function listen(config: Config, patience = PATIENCE): Promise<Listened> {
  const outside = await askAddress(config.PUBLIC_BASE_URL, patience);
  const local = localAddress(config);
  const isAsked = outside.kind !== 'gatehouse' && local !== undefined && local !== config.PUBLIC_BASE_URL;
  return { outside, inside: isAsked ? await askAddress(local, patience) : undefined };
}

/**
 * PUBLIC_BASE_URL against what is really served there. Never a failure: before the first start, and before a move, something else or
 * nothing is right. `kids`: the keys of this database; undefined: it could not be asked.
 */
export function examineAddress(config: Config, { outside, inside }: Listened, kids?: readonly string[]): Finding {
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
      `${fix} See that PORT and HOST are those of this one.`,
    );
  }
  const lead = `Lead ${url} to ${where}: docs/operating.md, "Behind a proxy".`;
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
      'Correct DATABASE_URL or DATA_DIR here, or PUBLIC_BASE_URL, or the way that the proxy leads. Before a move this is as it should be.';
    return warning(CHECK, detail, fix);
  }
  if (issuer !== url) {
    const detail = `the service at ${url} calls itself ${printable(issuer)}: it was started with other settings`;
    return warning(CHECK, detail, `Start it anew with PUBLIC_BASE_URL=${url}, or set that here too.`);
  }
  if (own === undefined)
    return ok(CHECK, `a Gatehouse answers at ${url}; without the database nobody can tell whether it is this one`);
  return ok(CHECK, `this service answers at ${url}`);
}

type Of<Kind extends Heard['kind']> = Extract<Heard, { kind: Kind }>;

function examineRedirect(url: string, to: string | undefined): Finding {
  const isUpgrade = to === url.replace(/^http:/, 'https:');
  if (to === undefined || to === url) {
    return warning(
      CHECK,
      `${url} answers with a redirect`,
      `Lead /.well-known and all other paths of ${url} to the service.`,
    );
  }
  const why = isUpgrade
    ? 'the address is the https one, and cookies and links belong to it'
    : 'links and cookies would be for the wrong address';
  // Whoever answers may be a portal, or worse: links in mails lead to what is set here.
  const fix = isSameHost(url, to)
    ? `Set PUBLIC_BASE_URL=${to}`
    : `If ${to} is the address people use, set PUBLIC_BASE_URL to it. If it is a sign-in page or a portal in front, lead /.well-known and all other paths of ${url} to the service.`;
  return warning(CHECK, `${url} redirects to ${to}: ${why}`, fix);
}

const isSameHost = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((url) => new URL(url).hostname.replace(/^www\./, ''));
  return a === b;
};

interface Told {
  readonly what: string;
  readonly fix: string;
  /** What was heard says by itself what is wrong; otherwise the service may not run, or the way to it may be wrong. */
  readonly certain?: true;
}

const START = `Start the service: ${starting()}. One that was started with another PORT: give the same to this command.`;

function otherOf(url: string, { status, server }: Of<'other'>): Told {
  const who = server === undefined ? '' : ` from ${server}`;
  if (status >= 502 && status <= 504) {
    return { what: `a proxy answers at ${url} and does not reach the service (HTTP ${status}${who})`, fix: START };
  }
  if (status === 429) {
    const what = `whatever answers at ${url} has no time to say what it is (HTTP 429${who})`;
    return { what, fix: 'Ask again when there is less to do.', certain: true };
  }
  const what = `something else answers at ${url} (HTTP ${status}${who})`;
  return { what, fix: 'Correct PUBLIC_BASE_URL, or lead all paths of that name to the service.' };
}

function silenceOf(url: string, { reason, code = '' }: Of<'silent'>): Told {
  const certificate = certificateFault(code);
  if (certificate) return { what: `${url} cannot be trusted: ${certificate.why}`, fix: certificate.fix, certain: true };
  const why =
    reason === 'timeout' ? `it does not answer within ${PATIENCE / 1000} seconds` : inWords(code || undefined);
  if (/^(ENOTFOUND|EAI_)/.test(code)) {
    const fix = 'Make the name known in DNS, or correct PUBLIC_BASE_URL.';
    return { what: `nothing answers at ${url}: ${why}`, fix, certain: true };
  }
  if (/^(EPROTO$|ERR_SSL_|HPE_)/.test(code)) {
    const fix = 'Correct http or https, and the port, in PUBLIC_BASE_URL.';
    return { what: `${url} cannot be asked: ${why}`, fix, certain: true };
  }
  const what = `nothing answers at ${url}: ${why} (the service is not running, or the proxy does not lead here)`;
  return { what, fix: `${START} If people reach it and this machine does not, nothing is wrong.` };
}
