import { connect, type Socket } from 'node:net';

interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface Line {
  readonly socket: Socket;
  received(): string;
  /** Resolves when the server has closed the connection, with everything that was received. */
  readonly closed: Promise<string>;
  answers(count: number): Promise<RawAnswer[]>;
}

export function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset by the server is treated like a close.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(received())));
  const answers = (count: number) =>
    new Promise<RawAnswer[]>((resolve) => {
      const check = () => {
        const found = answersIn(received());
        if (found.length < count && !socket.destroyed) return;
        socket.off('data', check);
        resolve(found);
      };
      socket.on('data', check);
      socket.on('close', check);
      check();
    });
  return new Promise((resolve) => socket.on('connect', () => resolve({ socket, received, closed, answers })));
}

/** Sends bytes and returns all responses until the server closes the connection. `leave` closes the client's side. */
export async function speak(url: string, bytes: string | Buffer, { leave = false } = {}): Promise<RawAnswer[]> {
  const { socket, closed } = await openLine(url);
  const data = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  if (leave) socket.end(data);
  else socket.write(data);
  return answersIn(await closed);
}

/** Parses consecutive responses. An incomplete last response is returned with status 0. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(rest) ?? [];
    if (end === -1 || status === undefined) return [...answers, { status: 0, headers: new Map(), body: rest }];
    const headers = new Map(
      rest
        .slice(0, end)
        .split('\r\n')
        .slice(1)
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    // A response to HEAD has a Content-Length without a body.
    const length = rest.length === end + 4 ? 0 : Number(headers.get('content-length') ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return [...answers, { status: 0, headers, body: rest }];
    answers.push({ status: Number(status), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

export function rawFault({ status, headers, body }: RawAnswer): string | undefined {
  if (status === 0) return `no answer: ${JSON.stringify(body.slice(0, 200))}`;
  if (status >= 500) return `${status} ${body.slice(0, 200)}`;
  if (status < 400) return undefined;
  if (!headers.get('content-type')?.startsWith('application/json')) return `${status} that is no JSON`;
  // A response to HEAD has no body.
  if (body === '') return undefined;
  const { error } = JSON.parse(body) as { error?: Record<string, unknown> };
  const { code, message, type } = error ?? {};
  return [code, message, type].every((part) => typeof part === 'string') ? undefined : `not the one body: ${body}`;
}
