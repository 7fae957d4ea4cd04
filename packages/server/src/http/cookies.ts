import { LIMITS } from '@gatehouse/contract';
import type { FastifyReply } from 'fastify';
import type { Config } from '../platform/config/settings.ts';

/** §5.2, plus the cookies that bind a third-party sign-in, and the request of an application, to their browser. */
export type CookieName =
  | 'service_at'
  | 'service_rt'
  | 'service_csrf'
  | 'service_trust'
  | FlowCookie
  | InteractionCookie;

/** With `__Host-`, which requires Secure, browsers ensure that no page on a sibling host has set the cookie. */
type FlowCookie = 'service_oauth' | '__Host-service_oauth';

type InteractionCookie = 'service_interaction' | '__Host-service_interaction';

export const interactionCookie = ({ SECURE_COOKIES }: Pick<Config, 'SECURE_COOKIES'>): InteractionCookie =>
  SECURE_COOKIES ? '__Host-service_interaction' : 'service_interaction';

export const flowCookie = ({ SECURE_COOKIES }: Pick<Config, 'SECURE_COOKIES'>): FlowCookie =>
  SECURE_COOKIES ? '__Host-service_oauth' : 'service_oauth';

const HTTP_ONLY: Record<CookieName, boolean> = {
  service_at: true,
  service_rt: true,
  service_csrf: false,
  service_trust: true,
  service_oauth: true,
  '__Host-service_oauth': true,
  service_interaction: true,
  '__Host-service_interaction': true,
};

/** Returns undefined if the name occurs twice: a page on a sibling host may have planted one of the values. */
export function readCookie(header: string | undefined, name: CookieName): string | undefined {
  if (header === undefined) return undefined;
  let found: string | undefined;
  let equals = header.indexOf('=');
  for (let start = 0; start < header.length; ) {
    const semicolon = header.indexOf(';', start);
    const end = semicolon < 0 ? header.length : semicolon;
    if (equals >= 0 && equals < start) equals = header.indexOf('=', start);
    if (equals >= 0 && equals < end && bare(header, start, equals) === name) {
      if (found !== undefined) return undefined;
      found = bare(header, equals + 1, end);
    }
    start = end + 1;
  }
  return found === '' ? undefined : found;
}

/** Trims only spaces and tabs, as browsers do. Not a regular expression, which would backtrack over inner spaces. */
function bare(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const WHOLE_SITE: ReadonlySet<CookieName> = new Set([
  'service_at',
  'service_csrf',
  '__Host-service_oauth',
  'service_interaction',
  '__Host-service_interaction',
]);

const pathOf = (config: Config, name: CookieName): string => (WHOLE_SITE.has(name) ? '/' : config.ROUTE_PREFIX);

const lifetimeOf = (config: Config, name: CookieName): number => {
  if (name === 'service_rt') return config.REFRESH_TOKEN_TTL;
  if (name === flowCookie(config)) return LIMITS.oauthFlow;
  if (name === interactionCookie(config)) return LIMITS.application.interaction;
  return name === 'service_trust' ? LIMITS.trustedBrowser : config.ACCESS_TOKEN_TTL;
};

/** Values are our own tokens, which need no quoting. */
function serialize(config: Config, name: CookieName, value: string, maxAge: number): string {
  const parts = [`${name}=${value}`, `Path=${pathOf(config, name)}`, `Max-Age=${maxAge}`, 'SameSite=Lax'];
  if (maxAge === 0) parts.push('Expires=Thu, 01 Jan 1970 00:00:00 GMT');
  if (HTTP_ONLY[name]) parts.push('HttpOnly');
  if (config.SECURE_COOKIES) parts.push('Secure');
  return parts.join('; ');
}

export function setCookies(reply: FastifyReply, config: Config, values: Partial<Record<CookieName, string>>): void {
  const cookies = Object.entries(values) as [CookieName, string][];
  reply.header(
    'set-cookie',
    cookies.map(([name, value]) => serialize(config, name, value, lifetimeOf(config, name))),
  );
}

export function clearCookies(reply: FastifyReply, config: Config, names: readonly CookieName[]): void {
  reply.header(
    'set-cookie',
    names.map((name) => serialize(config, name, '', 0)),
  );
}
