import { ERRORS } from '@gatehouse/contract';
import { renderNotFound, renderRequestError } from '@gatehouse/web';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../domain/context.ts';
import { prefersHtml } from './accept.ts';
import { brandOf } from './brand.ts';
import { logFailure, rememberCode, sendError, translateError } from './errors.ts';
import { acceptedLanguage, accountLanguage } from './language.ts';
import { sendPage } from './page.ts';
import { routeOf } from './route.ts';
import { sendTokenError } from './token-errors.ts';

/** docs/reference/http.md#pages: below these paths, and below the route prefix, errors are always JSON. */
const JSON_ONLY = ['/.well-known', '/oauth'];

function isForBrowser({ method, url, headers, is404 }: FastifyRequest, error: unknown, prefix: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (!is404 && translateError(error).code !== 'not_found') return false;
  const path = decodedPath(url);
  if ([prefix, ...JSON_ONLY].some((base) => path === base || path.startsWith(`${base}/`))) return false;
  return prefersHtml(headers.accept);
}

/** The router decodes paths too, so that `/%76%31/x` is below `/v1`. */
function decodedPath(url: string): string {
  const path = url.split(/[?#]/)[0]!;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Sends an error: a page if a browser asked for an unknown path, otherwise JSON in the format of the route. */
export function answerError(reply: FastifyReply, deps: Deps, error: unknown): FastifyReply {
  const { errorFormat } = routeOf(reply.request) ?? {};
  if (errorFormat === 'oauth') return sendTokenError(reply, deps.log, error);
  if (errorFormat === 'page') {
    sendRequestError(reply, deps, error).catch((failure: unknown) => sendError(reply, deps.log, failure));
    return reply;
  }
  if (!isForBrowser(reply.request, error, deps.config.ROUTE_PREFIX)) return sendError(reply, deps.log, error);
  rememberCode(reply.request, 'not_found');
  sendNotFound(reply, deps).catch((failure: unknown) => sendError(reply, deps.log, failure));
  return reply;
}

async function sendNotFound(reply: FastifyReply, deps: Deps): Promise<void> {
  const { request } = reply;
  const language = (await accountLanguage(request, deps)) ?? acceptedLanguage(request, deps);
  const { html, style } = renderNotFound(brandOf(deps.config), language);
  reply.code(404).header('vary', 'accept, accept-language, cookie').header('content-language', language);
  sendPage(reply, { html, style, cacheControl: 'no-store' });
}

/** Sends an error as a page, for a route that an application sends its users to. */
async function sendRequestError(reply: FastifyReply, deps: Deps, thrown: unknown): Promise<void> {
  const error = translateError(thrown);
  rememberCode(reply.request, error.code);
  if (error.code === 'internal_error') logFailure(reply, deps.log, error.cause ?? error);
  const language = (await accountLanguage(reply.request, deps)) ?? acceptedLanguage(reply.request, deps);
  const reason = error.code === 'invalid_input' ? 'invalid' : 'unavailable';
  const { html, style } = renderRequestError(brandOf(deps.config), language, { reason, detail: error.message });
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  reply.code(ERRORS[error.code].status).header('vary', 'accept-language, cookie').header('content-language', language);
  sendPage(reply, { html, style, cacheControl: 'no-store' });
}
