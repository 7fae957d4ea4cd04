import type { FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify';
import type { Deps } from '../domain/context.ts';
import { sessionOf } from './caller.ts';
import { clientAddress, type Proxies } from './client-address.ts';
import { errorCodeOf } from './errors.ts';

interface Answered {
  readonly request_id: string;
  readonly method: string;
  readonly status: number;
  readonly elapsedMs: number;
}

/** Counts and logs the responses of a route, by its template: the path itself may contain an id or a token. */
export function createRecord({ metrics, log }: Deps, route: string) {
  const observe = metrics.requests.of(route);
  return ({ request_id, method, status, elapsedMs }: Answered, failure?: () => object | undefined): void => {
    observe(method, status, elapsedMs / 1000);
    // Successful reads are logged at `debug`, a 500 at `error`.
    const isRead = method === 'GET' || method === 'HEAD';
    const level = status === 500 ? 'error' : status < 400 && isRead ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const ms = Math.round(elapsedMs * 10) / 10;
    log[level]({ request_id, method, route, status, ...failure?.(), ms }, 'request');
  };
}

export function recordAnswers(deps: Deps, proxies: Proxies, route: string): onResponseHookHandler {
  const record = createRecord(deps, route);
  return (request, reply, done) => {
    record(answered(request, reply), () => errorFields(request, proxies));
    done();
  };
}

const answered = ({ id, method }: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): Answered => ({
  request_id: id,
  method,
  status: statusCode,
  elapsedMs: elapsedTime,
});

/** `recordAnswers` for requests without a route. */
export function recordUnmatched(deps: Deps, proxies: Proxies): onResponseHookHandler {
  const record = recordAnswers(deps, proxies, 'unmatched');
  return function (request, reply, done) {
    if (request.is404) record.call(this, request, reply, done);
    else done();
  };
}

/** For errors, logs user and client address too: successful changes are in the audit trail, failed attempts are not. */
function errorFields(request: FastifyRequest, proxies: Proxies) {
  const error = errorCodeOf(request);
  if (!error) return undefined;
  const user_id = sessionOf(request)?.user_id;
  return { error, ...(user_id !== undefined && { user_id }), ip_address: clientAddress(request, proxies) };
}
