import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS } from '@gatehouse/contract';
import { ServiceError } from '../domain/kernel/service-error.ts';
import { errorBody, noSuchRoute } from './errors.ts';

const invalidRequest = () =>
  new ServiceError('invalid_input', 'request: is not valid HTTP, is too large or was sent too slowly');

/** Answers input that the HTTP parser rejects, and that never becomes a request, with the same error body. */
export function answerBrokenRequests(error: Error & { code?: string }, socket: Duplex): void {
  // A response that is being sent would be mixed with this one; a closed socket cannot be written to.
  const busy = (socket as { _httpMessage?: object | null })._httpMessage;
  if (busy || error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  answerRaw(socket, error.code === 'HPE_INVALID_METHOD' ? noSuchRoute() : invalidRequest());
}

/** Answers requests that Node would answer itself if there were no listener. */
export function answerOddRequests(server: Server): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    // Node has removed its own listeners: without one, a reset would end the process.
    socket.on('error', () => {});
    const { _httpMessage: unanswered } = socket as { _httpMessage?: object | null };
    if (unanswered) return void socket.destroy();
    answerRaw(socket, noSuchRoute());
    // Closes the socket, because Node's timeouts do not apply to it after `connect`.
    (socket as Socket).destroySoon();
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = prepare(new ServiceError('invalid_input', 'Expect: is not supported'));
    response.writeHead(status, headers).end(body);
  });
}

function prepare(error: ServiceError): { status: number; headers: Record<string, string>; body: string } {
  const body = JSON.stringify(errorBody(error));
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  };
  return { status: ERRORS[error.code].status, headers, body };
}

function answerRaw(socket: Duplex, error: ServiceError): void {
  const { status, headers, body } = prepare(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${status === 404 ? 'Not Found' : 'Bad Request'}`, ...lines, '', body].join('\r\n'));
}
