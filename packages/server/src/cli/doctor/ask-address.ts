import type { Config } from '../../platform/config/settings.ts';
import { OutboundError, type OutboundResponse, request } from '../../platform/outbound.ts';

/** What was heard at an address. */
export type Heard =
  | { readonly kind: 'gatehouse'; readonly issuer: string; readonly kids: readonly string[] }
  | { readonly kind: 'redirect'; readonly to: string | undefined }
  /** `server` is what it calls itself, as far as that can be shown. */
  | { readonly kind: 'other'; readonly status: number; readonly server: string | undefined }
  | { readonly kind: 'silent'; readonly reason: OutboundError['reason']; readonly code: string | undefined };

/** Milliseconds for one question. */
export const REQUEST_TIMEOUT_MS = 3_000;
const MAX_BYTES = 64 * 1024;

/** Whether a Gatehouse answers there, and which: by the two documents that everybody may read. */
export async function askAddress(origin: string, timeoutMs: number): Promise<Heard> {
  const get = (path: string) =>
    request(`${origin}/.well-known/${path}`, { method: 'GET', timeoutMs, maxBytes: MAX_BYTES });
  try {
    const [discovery, jwks] = await Promise.all([get('openid-configuration'), get('jwks.json')]);
    return judge(origin, discovery, jwks);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // Far more than our document: something that answers anything with a page of its own.
    if (error.reason === 'too_large') return { kind: 'other', status: 200, server: undefined };
    return { kind: 'silent', reason: error.reason, code: error.code };
  }
}

function judge(origin: string, discovery: OutboundResponse, jwks: OutboundResponse): Heard {
  const { status, headers } = discovery;
  if (status >= 300 && status < 400) return { kind: 'redirect', to: originOf(headers.get('location'), origin) };
  const { issuer, revocation_feed_uri } = parse(discovery);
  const { keys } = parse(jwks);
  // Any identity service has the first; the feed is ours alone.
  if (status !== 200 || typeof issuer !== 'string' || typeof revocation_feed_uri !== 'string' || !Array.isArray(keys)) {
    return { kind: 'other', status, server: shown(headers.get('server')) };
  }
  const kids = keys.map((key: unknown) => (key as { kid?: unknown } | null)?.kid);
  return { kind: 'gatehouse', issuer, kids: kids.filter((kid) => typeof kid === 'string') };
}

function parse({ body }: OutboundResponse): Record<string, unknown> {
  try {
    return Object(JSON.parse(body.toString('utf8')));
  } catch {
    return {};
  }
}

const originOf = (location: string | null, base: string): string | undefined =>
  location !== null && URL.canParse(location, base) ? new URL(location, base).origin : undefined;

/** Words of somebody else reach a terminal only as plain ones. */
const shown = (text: string | null): string | undefined => (/^[\w./ ()-]{1,40}$/.test(text ?? '') ? text! : undefined);

/** Where the service of these settings listens, as seen from this machine. Undefined: at a port that nobody knows. */
export function localAddress({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): string | undefined {
  if (PORT === 0) return undefined;
  const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '::1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}
