import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawRequest {
  readonly method: string;
  /** The path relative to `/v1`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RawAnswer {
  readonly status: number;
  /** The status line and all headers in order, without Date. */
  readonly head: string;
  readonly body: string;
  /** The time from the first byte sent to the last byte received. */
  readonly ms: number;
}

/** One keep-alive connection. Requests are sent one after the other; responses are returned as raw bytes. */
export interface RawLine {
  ask(request: RawRequest): Promise<RawAnswer>;
  close(): void;
}

// A constant request id, because the response repeats it.
const REQUEST_ID = '6f1f3d0e-9c56-4f4e-8a58-3c1b8a0a0001';

export async function openLine(url: string): Promise<RawLine> {
  const { hostname, port, host } = new URL(url);
  let received = Buffer.alloc(0);
  let onData = () => {};
  let fail = (_error: Error) => {};
  const open = async (): Promise<Socket> => {
    const opened = connect(Number(port), hostname);
    opened.setNoDelay(true);
    await once(opened, 'connect');
    opened.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      onData();
    });
    opened.on('error', (error) => fail(error));
    opened.on('close', () => fail(new Error('the connection was closed')));
    return opened;
  };
  let socket = await open();

  return {
    async ask({ method, path, body, headers = {} }) {
      // The server closes idle connections. The time for connecting is not measured.
      if (!socket.readable || !socket.writable) socket = await open();
      const text = body === undefined ? '' : JSON.stringify(body);
      const lines = [
        `${method} /v1${path} HTTP/1.1`,
        `Host: ${host}`,
        `X-Request-Id: ${REQUEST_ID}`,
        ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      ];
      return new Promise((resolve, reject) => {
        fail = reject;
        const begun = performance.now();
        onData = () => {
          const answer = readAnswer(received);
          if (!answer) return;
          const ms = performance.now() - begun;
          received = received.subarray(answer.length);
          onData = () => {};
          resolve({ ...answer.answer, ms });
        };
        socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
      });
    },
    close: () => socket.destroy(),
  };
}

/** Returns undefined if the response is incomplete. */
function readAnswer(received: Buffer): { answer: Omit<RawAnswer, 'ms'>; length: number } | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = received.toString('latin1', 0, end);
  const length = end + 4 + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
  if (received.length < length) return undefined;
  return {
    answer: {
      status: Number(head.slice(9, 12)),
      head: head.replace(/^date: .*\r\n/im, ''),
      body: received.toString('utf8', end + 4, length),
    },
    length,
  };
}
