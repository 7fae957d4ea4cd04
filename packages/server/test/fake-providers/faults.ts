import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Answer, jsonText, quote, type ReceivedRequest } from './messages.ts';
import { tokenError } from './token-endpoint.ts';
import type { Fault, ProviderState } from './types.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const HUGE_BYTES = 2 * 1024 * 1024;

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...JSON_TYPE, ...headers }).end(body instanceof Uint8Array ? body : jsonText(body));
}

/** Sends a correct response after more white space than a client should read. */
async function sendHuge(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  const chunk = `${' '.repeat(16 * 1024 - 1)}\n`;
  const chunks = [...Array.from({ length: HUGE_BYTES / chunk.length }, () => chunk), jsonText(body)];
  response.writeHead(status, { ...JSON_TYPE, ...headers });
  // A client that limits the size closes the connection early, which is not an error here.
  await pipeline(Readable.from(chunks), response).catch(() => {});
}

/** Breaks JSON so that the parser's error message quotes a value, if there is one. */
const breakJson = (text: string): string => `${text.replace('":"', '":')}[`;

export async function sendFaulty(
  state: ProviderState,
  { at, how }: Fault,
  request: ReceivedRequest,
  response: ServerResponse,
  rightAnswer: () => Answer,
): Promise<void> {
  if (typeof how === 'object') return send(response, how);
  const quoted = { error: 'server_error', error_description: quote(request), message: quote(request) };
  switch (how) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'huge':
      return sendHuge(response, rightAnswer());
    case 'broken_json': {
      const { headers, body } = rightAnswer();
      return send(response, { status: 200, ...(headers && { headers }), body: breakJson(jsonText(body)) });
    }
    case 'not_object':
      return send(response, { status: 200, body: null });
    case 'redirect': {
      // The response is computed before the redirect, because a redirected POST arrives as a GET without its form.
      const location = `/moved/${state.moved.size + 1}${request.path}`;
      state.moved.set(location, rightAnswer());
      return send(response, { status: 302, headers: { location }, body: quoted });
    }
    case 'error': {
      if (at === 'token') return send(response, tokenError(state, request, 'invalid_grant', 'the fake was told to'));
      return send(response, { status: 400, body: quoted });
    }
    default: {
      const retry = how === 429 && { headers: { 'retry-after': '2' } };
      return send(response, { status: how, ...retry, body: quoted });
    }
  }
}
