import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { TIMEOUT_MS } from './timeouts.ts';

interface MailApiRequest {
  path: string;
  method: string;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
  body: { from: string; to: string[]; subject: string; text: string; html: string };
}

/** A number responds with that status; `hang` never responds; `slow` responds when `release` is called. */
export type MailApiMode = 'ok' | 'slow' | 'hang' | 500 | 429 | 400 | 401 | 403 | 422 | 302;

export interface FakeMailApi {
  readonly url: string;
  /** All requests, including rejected ones. */
  readonly requests: MailApiRequest[];
  /** Accepted mails by idempotency key. A repeated key delivers nothing. */
  readonly delivered: Map<string, MailApiRequest>;
  mode: MailApiMode;
  release(): void;
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A fake of Resend's `POST /emails` that listens on loopback. */
export async function startFakeMailApi(): Promise<FakeMailApi> {
  const requests: MailApiRequest[] = [];
  const delivered = new Map<string, MailApiRequest>();
  const waiting: (() => void)[] = [];
  let watchers: { count: number; resolve: () => void }[] = [];

  const accept = (request: MailApiRequest, response: ServerResponse): void => {
    const key = request.idempotencyKey ?? `none-${requests.length}`;
    if (!delivered.has(key)) delivered.set(key, request);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: key }));
  };

  const answer = (request: MailApiRequest, response: ServerResponse): void => {
    const { mode } = fake;
    if (mode === 'ok') accept(request, response);
    else if (mode === 'slow') waiting.push(() => accept(request, response));
    else if (mode !== 'hang') {
      // The real API quotes the request in its errors, too.
      const quoted = JSON.stringify({ message: `refused ${request.body.to} ${request.body.text}` });
      const headers = { ...(mode === 429 && { 'retry-after': '2' }), ...(mode === 302 && { location: '/elsewhere' }) };
      response.writeHead(mode, headers).end(quoted);
    }
  };

  const server = createServer(async (message, response) => {
    const request: MailApiRequest = {
      path: message.url ?? '',
      method: message.method ?? '',
      authorization: message.headers.authorization,
      idempotencyKey: message.headers['idempotency-key'] as string | undefined,
      body: (message.method === 'POST' ? await json(message) : {}) as MailApiRequest['body'],
    };
    requests.push(request);
    answer(request, response);
    watchers = watchers.filter(({ count, resolve }) => requests.length < count || resolve());
  });
  // Long keep-alive: a request fails if the server closes its connection at the same moment.
  server.keepAliveTimeout = TIMEOUT_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const fake: FakeMailApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    delivered,
    mode: 'ok',
    release() {
      for (const resume of waiting.splice(0)) resume();
    },
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else watchers.push({ count, resolve });
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}
