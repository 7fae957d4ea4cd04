import { type ApplicationKind, LIMITS } from '@gatehouse/contract';
import type { Text } from './text/en.ts';
import { faultOf, linesOf } from './uris.ts';

export function redirectFault(typed: string, kind: ApplicationKind, t: Text): string | undefined {
  const uris = linesOf(typed);
  if (uris.length === 0) return t.redirectUrisMissing;
  const most = LIMITS.application.uris;
  if (uris.length > most) return t.tooManyUris(most);
  const wrong = uris.find((uri) => faultOf(uri, kind));
  return wrong && t.faults[faultOf(wrong, kind)!](wrong);
}

/** Returns what is wrong with the addresses of APIs. They may have any scheme. */
export function resourceFault(typed: string, t: Text): string | undefined {
  const wrong = linesOf(typed).find((uri) => !URL.canParse(uri) || uri.includes('#'));
  return wrong && t.faults[wrong.includes('#') ? 'fragment' : 'invalid'](wrong);
}
