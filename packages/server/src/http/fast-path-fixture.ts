import { Agent, request as openRequest } from 'node:http';
import { connect } from 'node:net';
import { startTestApp, type TestApp } from '../../test/harness.ts';
import { forSuite } from '../../test/suite.ts';
import type { Environment } from '../platform/config/load.ts';

export interface Asked {
  readonly method?: string;
  readonly path: string;
  /** Names and values; a name may occur twice. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
}

export interface Heard {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const agent = new Agent({ keepAlive: true });

/** Sends a request over HTTP: `inject` does not pass through the listener of the server. */
export const send = ({ server }: TestApp, { method = 'GET', path, headers = [], body }: Asked): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const { port } = server.server.address() as { port: number };
    const given: readonly (readonly [string, string])[] = [
      ['host', 'localhost'],
      ...headers,
      ...(body === undefined ? [] : [['content-length', String(Buffer.byteLength(body))] as const]),
    ];
    const asked = openRequest({ agent, host: '127.0.0.1', port, method, path, headers: given.flat() }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const raw = answer.rawHeaders;
        resolve({
          status: answer.statusCode!,
          headers: raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1]!] as const] : [])),
          body: Buffer.concat(chunks).toString('latin1'),
        });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });

/** Sends the text on one connection, and returns everything that is received until the connection closes. */
export const sendRaw = ({ server }: TestApp, text: string): Promise<string> =>
  new Promise((resolve) => {
    const { port } = server.server.address() as { port: number };
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });

export const headerOf = ({ headers }: Heard, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

interface Listening extends TestApp {
  /** The number of requests that the framework has handled. */
  routed(): number;
}

async function startListening(options: Parameters<typeof startTestApp>[0]): Promise<Listening> {
  const app = await startTestApp(options);
  let routed = 0;
  app.server.addHook('onRequest', (_request, _reply, done) => {
    routed++;
    done();
  });
  await app.server.listen({ port: 0, host: '127.0.0.1' });
  return { ...app, routed: () => routed };
}

export const useListening = (options: Parameters<typeof startTestApp>[0] = {}): Listening =>
  forSuite(() => startListening(options));

/** Repeats a request until the fast path answers it: what is in memory expires within seconds. */
export async function sendFast(app: Listening, asked: Asked): Promise<Heard> {
  for (;;) {
    const routed = app.routed();
    const heard = await send(app, asked);
    if (app.routed() === routed) return heard;
  }
}

interface Pair {
  readonly fast: Listening;
  readonly plain: Listening;
}

/** Two services with one database and one clock: with the fast path, and without. */
export function usePair(environment: Environment = {}): Pair {
  const fast = useListening({ environment });
  const plain = forSuite(() =>
    startListening({ database: fast.database, clock: fast.clock, environment: { ...environment, FAST_PATH: 'off' } }),
  );
  return { fast, plain };
}
