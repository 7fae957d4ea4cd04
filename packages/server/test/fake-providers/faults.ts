import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Answer, jsonText, quote, type ReceivedRequest } from './messages.ts';
import { refuseToken } from './token-endpoint.ts';
import type { Fault, ProviderState } from './types.ts';

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const HUGE = 2 * 1024 * 1024;

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...JSON_TYPE, ...headers }).end(body instanceof Uint8Array ? body : jsonText(body));
}

/** A right answer behind more white space than anybody should read. */
async function sendHuge(response: ServerResponse, { status, headers, body }: Answer): Promise<void> {
  const chunk = `${' '.repeat(16 * 1024 - 1)}\n`;
  const chunks = [...Array.from({ length: HUGE / chunk.length }, () => chunk), jsonText(body)];
  response.writeHead(status, { ...JSON_TYPE, ...headers });
  // Whoever reads with a limit hangs up in the middle, as they should.
  await pipeline(Readable.from(chunks), response).catch(() => {});
}

/** Cut so that the parser's own message quotes a value, where there is one. */
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
      // Answered well already, as a redirected POST comes back as a GET without its form.
      const location = `/moved/${state.moved.size + 1}${request.path}`;
      state.moved.set(location, rightAnswer());
      return send(response, { status: 302, headers: { location }, body: quoted });
    }
    case 'error': {
      if (at === 'token') return send(response, refuseToken(state, request, 'invalid_grant', 'the fake was told to'));
      return send(response, { status: 400, body: quoted });
    }
    default: {
      const retry = how === 429 && { headers: { 'retry-after': '2' } };
      return send(response, { status: how, ...retry, body: quoted });
    }
  }
}
