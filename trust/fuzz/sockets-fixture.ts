import { connect, type Socket } from 'node:net';

/** One answer as it came, taken apart. */
interface RawAnswer {
  readonly status: number;
  /** By name, in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface Line {
  readonly socket: Socket;
  /** All that has come so far. */
  heard(): string;
  /** When the other side has closed the connection, in whatever way: all that came before. */
  readonly closed: Promise<string>;
  /** When there are so many answers. */
  answers(count: number): Promise<RawAnswer[]>;
}

/** A connection on which anything at all can be said. */
export function openLine(url: string): Promise<Line> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const heard = () => Buffer.concat(chunks).toString('latin1');
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // Whoever is cut off hears of it as an error or as an end; here it is the same.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(heard())));
  const answers = (count: number) =>
    new Promise<RawAnswer[]>((resolve) => {
      const look = () => {
        const found = answersIn(heard());
        if (found.length < count && !socket.destroyed) return;
        socket.off('data', look);
        resolve(found);
      };
      socket.on('data', look);
      socket.on('close', look);
      look();
    });
  return new Promise((resolve) => socket.on('connect', () => resolve({ socket, heard, closed, answers })));
}

/** Says it, and hears all that comes until the other side hangs up. `leave`: it is all that will ever be said. */
export async function speak(url: string, bytes: string | Buffer, { leave = false } = {}): Promise<RawAnswer[]> {
  const { socket, closed } = await openLine(url);
  const said = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  if (leave) socket.end(said);
  else socket.write(said);
  return answersIn(await closed);
}

/** Whole answers, one after the other. What follows the last of them, and is none, is one of status 0. */
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
    // An answer to HEAD says how long it would be, and is not.
    const length = rest.length === end + 4 ? 0 : Number(headers.get('content-length') ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (body.length < length) return [...answers, { status: 0, headers, body: rest }];
    answers.push({ status: Number(status), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** What is wrong with it as an answer of ours; undefined: nothing. */
export function rawFault({ status, headers, body }: RawAnswer): string | undefined {
  if (status === 0) return `no answer: ${JSON.stringify(body.slice(0, 200))}`;
  if (status >= 500) return `${status} ${body.slice(0, 200)}`;
  if (status < 400) return undefined;
  if (!headers.get('content-type')?.startsWith('application/json')) return `${status} that is no JSON`;
  // An answer to HEAD has none.
  if (body === '') return undefined;
  const { error } = JSON.parse(body) as { error?: Record<string, unknown> };
  const { code, message, type } = error ?? {};
  return [code, message, type].every((part) => typeof part === 'string') ? undefined : `not the one body: ${body}`;
}
