import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import { randomToken } from '../platform/crypto/tokens.ts';
import { flowCookie, readCookie, setCookies } from './cookies.ts';

/**
 * Returns the value of the flow cookie for a new flow. Keeps an existing value, because another tab may have a flow in
 * progress.
 */
export const browserOf = (request: FastifyRequest, { config }: Pick<Deps, 'config'>): string => {
  const known = readCookie(request.headers.cookie, flowCookie(config));
  return known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomToken();
};

/** Sets the cookie that the callback requires. */
export const rememberBrowser = (reply: FastifyReply, { config }: Pick<Deps, 'config'>, browser: string): void =>
  setCookies(reply, config, { [flowCookie(config)]: browser });

/**
 * Returns the value of the flow cookie at a callback. Undefined for HEAD, which must not change anything: without the
 * cookie the state is not consumed.
 */
export const flowBrowser = ({ method, headers }: FastifyRequest, { config }: Pick<Deps, 'config'>) =>
  method === 'HEAD' ? undefined : readCookie(headers.cookie, flowCookie(config));

export const wantsJson = ({ headers }: FastifyRequest): boolean => /\bapplication\/json\b/i.test(headers.accept ?? '');
