import { TEXT_FORMATS } from '@gatehouse/contract';
import type { PlainLanguage } from '@gatehouse/web';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import { languageOf } from '../domain/mail/templates/render.ts';
import { acceptedLanguages } from './accept.ts';
import { readCookie } from './cookies.ts';

/** The languages that the client accepts and the service supports, preferred first. */
const supported = ({ headers }: FastifyRequest): string[] =>
  acceptedLanguages(headers['accept-language']).filter((tag) => TEXT_FORMATS.locale(tag) && languageOf(tag));

/**
 * The contract, section 16: the locale to store for a new account: as given by the client or, if that is unusable, the
 * first supported language of `Accept-Language`. Null: neither, so DEFAULT_LOCALE applies.
 */
export function newAccountLocale(request: FastifyRequest, given: unknown): string | null {
  const isUsable = typeof given === 'string' && TEXT_FORMATS.locale(given);
  const tag = isUsable ? given : supported(request)[0];
  return tag === undefined ? null : Intl.getCanonicalLocales(tag)[0]!;
}

/** The language of a page for this visitor, if it is not that of an account. */
export const acceptedLanguage = (request: FastifyRequest, { config }: Deps): PlainLanguage =>
  languageOf(supported(request)[0]) ?? config.DEFAULT_LOCALE;

/**
 * The language of the account that the access cookie belongs to. Undefined if there is no active session, if the
 * account has no supported language, or while the database is not available.
 */
export async function accountLanguage(request: FastifyRequest, deps: Deps): Promise<PlainLanguage | undefined> {
  const token = readCookie(request.headers.cookie, 'service_at');
  const claims = token === undefined ? undefined : deps.accessTokens.verify(token);
  if (!claims) return undefined;
  try {
    return languageOf((await deps.sessions.find(claims.sid))?.locale);
  } catch {
    return undefined;
  }
}
