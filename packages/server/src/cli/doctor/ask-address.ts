import type { Config } from '../../platform/config/settings.ts';
import { OutboundError, type OutboundResponse, request } from '../../platform/outbound.ts';

export type Heard =
  | { readonly kind: 'gatehouse'; readonly issuer: string; readonly kids: readonly string[] }
  | { readonly kind: 'redirect'; readonly to: string | undefined }
  /** `server` is the Server header of the response, if it is printable. */
  | { readonly kind: 'other'; readonly status: number; readonly server: string | undefined }
  | { readonly kind: 'silent'; readonly reason: OutboundError['reason']; readonly code: string | undefined };

export const REQUEST_TIMEOUT_MS = 3_000;
const MAX_BYTES = 64 * 1024;

/** Identifies a Gatehouse by its two public documents. */
export async function askAddress(origin: string, timeoutMs: number): Promise<Heard> {
  const get = (path: string) =>
    request(`${origin}/.well-known/${path}`, { method: 'GET', timeoutMs, maxBytes: MAX_BYTES });
  try {
    const [discovery, jwks] = await Promise.all([get('openid-configuration'), get('jwks.json')]);
    return classify(origin, discovery, jwks);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // Gatehouse's documents are far smaller: this server answers every path with a page of its own.
    if (error.reason === 'too_large') return { kind: 'other', status: 200, server: undefined };
    return { kind: 'silent', reason: error.reason, code: error.code };
  }
}

function classify(origin: string, discovery: OutboundResponse, jwks: OutboundResponse): Heard {
  const { status, headers } = discovery;
  if (status >= 300 && status < 400) return { kind: 'redirect', to: originOf(headers.get('location'), origin) };
  const { issuer, revocation_feed_uri } = parse(discovery);
  const { keys } = parse(jwks);
  // Every OpenID provider has an issuer; only Gatehouse has a revocation feed.
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

/** Text of another server is shown only if it is plain ASCII. */
const shown = (text: string | null): string | undefined => (/^[\w./ ()-]{1,40}$/.test(text ?? '') ? text! : undefined);

/** The local address of the service with these settings, or undefined if its port is not fixed. */
export function localAddress({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): string | undefined {
  if (PORT === 0) return undefined;
  const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST === '::' ? '::1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}
