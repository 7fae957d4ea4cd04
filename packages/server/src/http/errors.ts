import { ERRORS, type ErrorBody, type ErrorCode } from '@gatehouse/contract';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, tooMany } from '../domain/kernel/service-error.ts';
import { PoolBusy } from '../platform/db/errors.ts';
import type { Logger } from '../platform/log.ts';
import { describeFaults } from './validation.ts';
import { JSON_TYPE } from './written-once.ts';

/** §7, docs/reference/http.md#responses: the body of every error. */
export const errorBody = (error: ServiceError): ErrorBody => ({
  error: { code: error.code, message: error.message, type: ERRORS[error.code].type },
});

const invalid = (message: string) => new ServiceError('invalid_input', message);

/** Errors of the framework before a route is reached or its body is read. Its own status codes are never sent. */
const FRAMEWORK: Record<string, () => ServiceError> = {
  FST_ERR_BAD_URL: noSuchRoute,
  FST_ERR_ROUTE_MISSING_HANDLER: noSuchRoute,
  FST_ERR_MAX_PARAM_LENGTH: noSuchRoute,
  FST_ERR_ASYNC_CONSTRAINT: noSuchRoute,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => invalid('body: must have the content type application/json'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => invalid('body: is too large'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalid('body: does not have the length it declares'),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => invalid('body: must be a JSON object'),
};

export function noSuchRoute(): ServiceError {
  return new ServiceError('not_found', 'no such path, or the method is not supported');
}

/** Turns any error into a ServiceError; an unexpected one becomes internal_error without details. */
export function translateError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof PoolBusy) return tooMany(1);
  const thrown = error as Partial<FastifyError> | undefined;
  // A malformed id is treated like an unknown one.
  if (thrown?.validation && thrown.validationContext === 'params') {
    return new ServiceError('not_found', 'there is no resource with this id');
  }
  if (thrown?.validation) return invalid(describeFaults(thrown.validation, thrown.validationContext ?? 'body'));
  const code = thrown?.code ?? '';
  const known = FRAMEWORK[code];
  if (known) return known();
  if (code.startsWith('FST_ERR_') && (thrown?.statusCode ?? 500) < 500) return invalid('request: is not valid');
  return new ServiceError('internal_error', 'internal server error', { cause: error });
}

// For the request log, where the code says more than the status.
const CODE = Symbol('code');

export const errorCodeOf = (request: FastifyRequest): ErrorCode | undefined =>
  (request as FastifyRequest & { [CODE]?: ErrorCode })[CODE];

export const rememberCode = (request: FastifyRequest, code: ErrorCode): void => {
  (request as FastifyRequest & { [CODE]?: ErrorCode })[CODE] = code;
};

/** Logs the cause of an `internal_error`, which the response does not show. */
export function logFailure({ request }: FastifyReply, log: Logger, err: unknown): void {
  log.error({ err, request_id: request.id, route: request.routeOptions?.url ?? 'unknown' }, 'a request failed');
}

export function sendError(reply: FastifyReply, log: Logger, thrown: unknown): FastifyReply {
  // If no route matches, the response is 404, whatever error was thrown.
  const error = reply.request.is404 ? noSuchRoute() : translateError(thrown);
  rememberCode(reply.request, error.code);
  if (error.code === 'internal_error') logFailure(reply, log, error.cause ?? error);
  if (error.stepUp !== undefined) reply.header('x-service-step-up', error.stepUp);
  if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter));
  return reply
    .code(ERRORS[error.code].status)
    .header('cache-control', 'no-store')
    .type(JSON_TYPE)
    .send(JSON.stringify(errorBody(error)));
}
