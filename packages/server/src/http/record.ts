import type { FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify';
import type { Deps } from '../domain/context.ts';
import type { Logger } from '../platform/log.ts';
import { sessionOf } from './caller.ts';
import { clientAddress, type Proxies } from './client-address.ts';
import { errorCodeOf } from './errors.ts';

/** Counts and logs responses by route template, never by path, which may contain an id or a token. */
export function recordAnswers({ metrics, log }: Deps, proxies: Proxies, route: string): onResponseHookHandler {
  const observe = metrics.requests.of(route);
  return (request, reply, done) => {
    observe(request.method, reply.statusCode, reply.elapsedTime / 1000);
    logAnswer(log, proxies, route, request, reply);
    done();
  };
}

/** `recordAnswers` for requests without a route. */
export function recordUnmatched(deps: Deps, proxies: Proxies): onResponseHookHandler {
  const record = recordAnswers(deps, proxies, 'unmatched');
  return function (request, reply, done) {
    if (request.is404) record.call(this, request, reply, done);
    else done();
  };
}

/** Successful reads are logged at `debug`, a 500 at `error`. */
function logAnswer(log: Logger, proxies: Proxies, route: string, request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const { statusCode: status } = reply;
  const isRead = method === 'GET' || method === 'HEAD';
  const level = status === 500 ? 'error' : status < 400 && isRead ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const ms = Math.round(reply.elapsedTime * 10) / 10;
  const failure = errorFields(request, proxies);
  log[level]({ request_id: request.id, method, route, status, ...failure, ms }, 'request');
}

/** For errors, logs user and client address too: successful changes are in the audit trail, failed attempts are not. */
function errorFields(request: FastifyRequest, proxies: Proxies) {
  const error = errorCodeOf(request);
  if (!error) return undefined;
  const user_id = sessionOf(request)?.user_id;
  return { error, ...(user_id !== undefined && { user_id }), ip_address: clientAddress(request, proxies) };
}
