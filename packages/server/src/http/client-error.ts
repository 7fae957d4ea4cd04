import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { ERRORS } from '@gatehouse/contract';
import { ServiceError } from '../domain/service-error.ts';
import { errorBody, noSuchRoute } from './errors.ts';

/** What the HTTP parser itself refuses never becomes a request, and still gets the one error body. */
export function answerBrokenRequests(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const refused =
    error.code === 'HPE_INVALID_METHOD'
      ? noSuchRoute()
      : new ServiceError('invalid_input', 'request: is not valid HTTP, is too long or came too slowly');
  const { status } = ERRORS[refused.code];
  const body = JSON.stringify(errorBody(refused));
  socket.end(
    [
      `HTTP/1.1 ${status} ${status === 404 ? 'Not Found' : 'Bad Request'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${randomUUID()}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
