import { type ErrorCode, TOKEN_ERRORS, type TokenError, type TokenErrorCode } from '@gatehouse/contract';
import type { FastifyReply } from 'fastify';
import type { ServiceError } from '../domain/kernel/service-error.ts';
import { TokenFailure } from '../domain/kernel/token-failure.ts';
import type { Logger } from '../platform/log.ts';
import { logFailure, rememberCode, translateError } from './errors.ts';
import { JSON_TYPE } from './written-once.ts';

/** The RFC 6749 codes for errors of the guards, the body parser and the framework. */
const CODES: Readonly<Partial<Record<ErrorCode, TokenErrorCode>>> = {
  invalid_input: 'invalid_request',
  authentication_required: 'invalid_client',
  rate_limited: 'temporarily_unavailable',
};

/** The error codes of the specification, which the request log uses, by OAuth code. */
const LOGGED: Readonly<Partial<Record<TokenErrorCode, ErrorCode>>> = {
  invalid_client: 'authentication_required',
  temporarily_unavailable: 'rate_limited',
  server_error: 'internal_error',
};

const translated = (error: ServiceError): TokenFailure =>
  new TokenFailure(CODES[error.code] ?? 'server_error', CODES[error.code] ? error.message : 'internal server error', {
    cause: error.cause ?? error,
    ...(error.retryAfter !== undefined && { retryAfter: error.retryAfter }),
  });

/** RFC 6749, section 5.2: `error_description` is ASCII without quotes and backslashes. */
const description = (text: string): string => text.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');

/** Sends the error of an endpoint below `/oauth`. Section 5.2 requires the challenge with every 401. */
export function sendTokenError(reply: FastifyReply, log: Logger, thrown: unknown): FastifyReply {
  const error = thrown instanceof TokenFailure ? thrown : translated(translateError(thrown));
  rememberCode(reply.request, LOGGED[error.code] ?? 'invalid_input');
  if (error.code === 'server_error') logFailure(reply, log, error.cause ?? error);
  if (error.code === 'invalid_client') reply.header('www-authenticate', 'Basic realm="oauth"');
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  const body: TokenError = { error: error.code, error_description: description(error.message) };
  return reply
    .code(TOKEN_ERRORS[error.code])
    .header('cache-control', 'no-store')
    .type(JSON_TYPE)
    .send(JSON.stringify(body));
}
