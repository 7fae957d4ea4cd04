import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { cores } from '../cores.ts';

/** How one setting is read. `parse` gets a non-empty string and returns the value or throws a Fault with the remedy. */
export interface Setting<T> {
  readonly doc: string;
  readonly example?: string;
  readonly secret?: boolean;
  readonly options?: readonly string[];
  readonly fallback: T;
  readonly parse: (text: string) => T;
}

export class Fault extends Error {}

interface About<T> {
  doc: string;
  fallback: T;
  example?: string;
}

export const text = <T extends string | undefined>(about: About<T>): Setting<string | T> => ({
  ...about,
  parse: (value) => value,
});

export const secret = (about: { doc: string; min: number; example: string }): Setting<string | undefined> => ({
  ...about,
  secret: true,
  fallback: undefined,
  parse: (value) => {
    if (value !== value.trim()) throw new Fault('must not begin or end with white space');
    if ([...value].length < about.min) throw new Fault(`must have at least ${about.min} characters`);
    return value;
  },
});

/** A secret that clients send unencoded in a header. */
export const bearer = (about: { doc: string; example: string }): Setting<string | undefined> => ({
  ...about,
  secret: true,
  fallback: undefined,
  parse: (value) => {
    if (!/^[\x21-\x7e]+$/.test(value)) throw new Fault('must be printable ASCII without spaces');
    return value;
  },
});

/** 32 bytes as base64, base64url or hex. */
export const key32 = (doc: string): Setting<Buffer | undefined> => ({
  doc,
  secret: true,
  fallback: undefined,
  example: 'the output of `openssl rand -base64 32`',
  parse: (value) => {
    const bytes = /^[0-9a-f]{64}$/i.test(value)
      ? Buffer.from(value, 'hex')
      : Buffer.from(/^[A-Za-z0-9+/_-]{43}=?$/.test(value) ? value : '', 'base64');
    if (bytes.length !== 32) throw new Fault('must be 32 bytes, in base64 or hex');
    if (bytes.every((byte) => byte === bytes[0])) throw new Fault('does not look randomly generated');
    return bytes;
  },
});

export const integer = <T extends number | undefined = number>(
  about: About<T> & { min: number; max: number },
): Setting<number | T> => ({
  ...about,
  parse: (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < about.min || number > about.max) {
      throw new Fault(`must be a whole number from ${about.min} to ${about.max}`);
    }
    return number;
  },
});

const MAX_PROCESSES = 64;

/** A number of processes; `auto` is one per core. */
export const processes = (doc: string): Setting<number> => ({
  doc,
  fallback: 1,
  example: '`auto` for one per core',
  parse: (value) => {
    if (value === 'auto') return Math.min(cores(), MAX_PROCESSES);
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < 1 || number > MAX_PROCESSES) {
      throw new Fault(`must be auto or a whole number from 1 to ${MAX_PROCESSES}`);
    }
    return number;
  },
});

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86400 };

const parseDuration = (value: string): number | undefined => {
  const match = /^(\d{1,9})([smhd]?)$/.exec(value);
  return match ? Number(match[1]) * UNITS[match[2] || 's']! : undefined;
};

/** A duration, returned in seconds; written `900`, `15m`, `24h` or `30d`. */
export const duration = (about: About<number> & { min: number; max: number }): Setting<number> => ({
  ...about,
  parse: (value) => {
    const length = parseDuration(value);
    if (length === undefined) throw new Fault('must be a duration such as 900, 15m, 24h or 30d');
    if (length < about.min || length > about.max) {
      throw new Fault(`must be between ${about.min} and ${about.max} seconds`);
    }
    return length;
  },
});

/** Like `duration`; `never` is infinite. */
export const durationOrNever = (about: About<number> & { min: number; max: number }): Setting<number> => ({
  ...about,
  example: '`never`',
  parse: (value) => (value === 'never' ? Number.POSITIVE_INFINITY : duration(about).parse(value)),
});

export interface Quota {
  readonly count: number;
  readonly window: number;
}

/** A count per duration, written `20/15m`. */
export const quota = (doc: string, count: number, window: number): Setting<Quota> => ({
  doc,
  fallback: { count, window },
  parse: (value) => {
    const match = /^(\d{1,9})\/(.+)$/.exec(value);
    const length = match ? parseDuration(match[2]!) : undefined;
    if (!match || !length || Number(match[1]) < 1)
      throw new Fault('must be a count of 1 or more per duration, such as 20/15m');
    return { count: Number(match[1]), window: length };
  },
});

export const choice = <const T extends string, Fallback extends T | undefined = T>(
  doc: string,
  options: readonly T[],
  fallback: Fallback,
): Setting<T | Fallback> => ({
  doc,
  options,
  fallback,
  parse: (value) => {
    const found = options.find((option) => option === value);
    if (found === undefined) throw new Fault(`must be one of ${options.join(', ')}`);
    return found;
  },
});

export const toggle = (doc: string): Setting<boolean | undefined> => ({
  doc,
  fallback: undefined,
  parse: (value) => {
    if (/^(true|on|yes|1)$/i.test(value)) return true;
    if (/^(false|off|no|0)$/i.test(value)) return false;
    throw new Fault('must be on or off');
  },
});

export const parseUrl = (value: string, protocols: readonly string[]): URL => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // An unencoded / ? # or @ ends the password early, and the rest would become part of a path that is displayed.
  if (url && /@/.test(url.pathname + url.search + url.hash)) {
    throw new Fault('has an @ after the host: encode / ? # @ in the user and the password as %2F %3F %23 %40');
  }
  if (!url || !protocols.includes(url.protocol)) {
    throw new Fault(`must be a URL that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`);
  }
  return url;
};

const parseOrigin = (value: string): string => {
  const url = parseUrl(value, ['http:', 'https:']);
  if (url.username || url.password || url.pathname !== '/' || url.search || url.hash || value.includes('#')) {
    throw new Fault('must be an origin such as https://id.example.com, with no path');
  }
  return url.origin;
};

export const origin = (doc: string): Setting<string | undefined> => ({ doc, fallback: undefined, parse: parseOrigin });

export const url = (about: About<string | undefined> & { protocols?: string[]; secret?: boolean }) =>
  ({
    ...about,
    parse: (value) => parseUrl(value, about.protocols ?? ['https:', 'http:']) && value,
  }) satisfies Setting<string | undefined>;

const list = (value: string): string[] => value.split(/[\s,]+/).filter((item) => item !== '');

const MAX_RELATED_ORIGINS = 20;

/** https origins, at most 20: some browsers ignore further related origins. */
export const relatedOrigins = (doc: string): Setting<readonly string[]> => ({
  doc,
  fallback: [],
  example: '`https://login.example.org`',
  parse: (value) => {
    const items = list(value).map(parseOrigin);
    if (items.length > MAX_RELATED_ORIGINS) throw new Fault(`must have at most ${MAX_RELATED_ORIGINS} origins`);
    if (!items.every((item) => item.startsWith('https:'))) throw new Fault('must be origins that begin with https://');
    return items;
  },
});

/** A host name, returned in the form in which `URL` writes hosts. */
export const hostName = (about: About<string | undefined>): Setting<string | undefined> => ({
  ...about,
  parse: (value) => {
    const url = /[/?#@:\\]/.test(value) || !URL.canParse(`https://${value}`) ? undefined : new URL(`https://${value}`);
    if (!url) throw new Fault('must be a host name, without protocol and port');
    return url.hostname;
  },
});

export const origins = (doc: string): Setting<readonly string[]> => ({
  doc,
  fallback: [],
  example: '`https://app.example.com,https://admin.example.com`',
  parse: (value) => list(value).map(parseOrigin),
});

/** Addresses and CIDR ranges of proxies. `none` is an empty list, which differs from unset. */
export const networks = (doc: string): Setting<readonly string[] | undefined> => ({
  doc,
  fallback: undefined,
  example: '`10.0.0.7,::1`',
  parse: (value) => {
    const items = list(value);
    if (items.length === 1 && items[0] === 'none') return [];
    for (const item of items) {
      if (!isIP(item) && !ipaddr.isValidCIDR(item))
        throw new Fault(`${item} is neither an IP address nor a CIDR range (use \`none\` alone for no proxy)`);
    }
    return items;
  },
});

const MAX_PORT = 65_535;

/** Addresses with an optional port, in the form that `Resolver.setServers` of `node:dns` accepts. */
export const dnsServers = (doc: string): Setting<readonly string[] | undefined> => ({
  doc,
  fallback: undefined,
  example: '`10.0.0.53,10.0.1.53:5353,[2001:db8::53]:53`',
  parse: (value) => {
    const items = list(value);
    for (const item of items) {
      const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(item) ?? [];
      const isAddress = isIP(item) !== 0 || (bracketed ? isIP(bracketed) === 6 : isIP(plain ?? '') === 4);
      if (!isAddress || (port !== undefined && (Number(port) < 1 || Number(port) > MAX_PORT)))
        throw new Fault(`${item} is not an IP address with an optional port (write IPv6 with a port as [::1]:53)`);
    }
    return items;
  },
});

/** A URL path, returned without a trailing slash. */
export const path = (about: About<string>): Setting<string> => ({
  ...about,
  parse: (value) => {
    if (!/^(\/[A-Za-z0-9._~-]+)+\/?$/.test(value) || /\/\.{1,2}(\/|$)/.test(value)) {
      throw new Fault('must be a path such as /v1, of letters, digits, ".", "_", "~" and "-"');
    }
    if (/^\/(\.well-known|brand|dev|device|docs|healthz|metrics|oauth|openapi\.json|readyz)(\/|$)/.test(value)) {
      throw new Fault('must not begin with a path that the service itself uses, such as /docs or /healthz');
    }
    return value.replace(/\/$/, '');
  },
});
