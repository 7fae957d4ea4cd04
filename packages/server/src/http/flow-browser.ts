import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import { randomToken } from '../platform/crypto/tokens.ts';
import { flowCookie, readCookie, setCookies } from './cookies.ts';

/** Keeps an existing value of the flow cookie, because another tab may have a flow in progress. */
export const browserOf = (request: FastifyRequest, { config }: Pick<Deps, 'config'>): string => {
  const known = readCookie(request.headers.cookie, flowCookie(config));
  return known !== undefined && /^[\w-]{43}$/.test(known) ? known : randomToken();
};

export const rememberBrowser = (reply: FastifyReply, { config }: Pick<Deps, 'config'>, browser: string): void =>
  setCookies(reply, config, { [flowCookie(config)]: browser });

/** Undefined for HEAD, which must not change anything: without the cookie the state is not consumed. */
export const flowBrowser = ({ method, headers }: FastifyRequest, { config }: Pick<Deps, 'config'>) =>
  method === 'HEAD' ? undefined : readCookie(headers.cookie, flowCookie(config));

export const wantsJson = ({ headers }: FastifyRequest): boolean => /\bapplication\/json\b/i.test(headers.accept ?? '');
