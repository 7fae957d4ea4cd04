import type { ApplicationKind } from '@gatehouse/contract';

export type UriFault = 'invalid' | 'fragment' | 'wildcard' | 'credentials' | 'scheme' | 'private_scheme';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns why the service would reject this redirect address, so that the form can say it beside the field. */
export function faultOf(uri: string, kind: ApplicationKind): UriFault | undefined {
  if (uri.includes('#')) return 'fragment';
  if (uri.includes('*')) return 'wildcard';
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (!url || /\s/.test(uri)) return 'invalid';
  if (url.username || url.password) return 'credentials';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname) ? undefined : 'scheme';
  if (kind !== 'native') return 'scheme';
  return url.protocol.includes('.') ? undefined : 'private_scheme';
}
