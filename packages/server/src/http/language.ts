import { TEXT_FORMATS } from '@gatehouse/contract';
import type { PlainLanguage } from '@gatehouse/web';
import type { FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import { languageOf } from '../domain/mail/templates/render.ts';
import { acceptedLanguages } from './accept.ts';
import { readCookie } from './cookies.ts';

/** More than any browser sends. Checking a tag that is not valid is expensive. */
const MAX_TAGS = 20;

const supported = ({ headers }: FastifyRequest): string | undefined =>
  acceptedLanguages(headers['accept-language'])
    .slice(0, MAX_TAGS)
    .find((tag) => languageOf(tag) && TEXT_FORMATS.locale(tag));

/**
 * docs/reference/accounts.md#registration: the given locale, else the first supported `Accept-Language`. Null:
 * DEFAULT_LOCALE.
 */
export function newAccountLocale(request: FastifyRequest, given: unknown): string | null {
  const isUsable = typeof given === 'string' && TEXT_FORMATS.locale(given);
  const tag = isUsable ? given : supported(request);
  return tag === undefined ? null : Intl.getCanonicalLocales(tag)[0]!;
}

/** The language of a page for a visitor whose account, if any, has no supported language. */
export const acceptedLanguage = (request: FastifyRequest, { config }: Deps): PlainLanguage =>
  languageOf(supported(request)) ?? config.DEFAULT_LOCALE;

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
