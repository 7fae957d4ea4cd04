import { later } from './moment.ts';

export interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  /** Seconds it has lain in a cache. */
  readonly age: string | undefined;
  /** When the service answered, by its own clock. */
  readonly date: string | undefined;
  readonly text: string;
}

export interface Request {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxBytes: number;
  /** Milliseconds for the whole exchange, the body included. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** GET, never for longer nor for more than was said. A redirect is a failure: nobody else speaks for the service. */
export function boundedFetch({ url, fetch, headers, maxBytes, timeout, signal }: Request): Promise<Answer> {
  const controller = new AbortController();
  const exchange = async (): Promise<Answer> => {
    const sent = { accept: 'application/json', 'cache-control': 'no-cache', ...headers };
    const init = { headers: sent, cache: 'no-store', redirect: 'error', signal: controller.signal } as const;
    const answer = await fetch(url, init);
    const text = await readText(answer, maxBytes);
    return {
      status: answer.status,
      etag: answer.headers.get('etag') ?? undefined,
      age: answer.headers.get('age') ?? undefined,
      date: answer.headers.get('date') ?? undefined,
      text,
    };
  };
  // A `fetch` that was handed in may not listen to the signal: nobody waits for it all the same.
  return new Promise((resolve, reject) => {
    const end = (): void => {
      callOff();
      signal?.removeEventListener('abort', close);
    };
    const giveUp = (reason: string) => (): void => {
      end();
      reject(new Error(reason));
      controller.abort();
    };
    const close = giveUp('the verifier was closed');
    const callOff = later(timeout, giveUp(`no answer within ${timeout} ms`));
    signal?.addEventListener('abort', close);
    exchange().then(resolve, reject).finally(end);
  });
}

/** Counts what was unpacked, so that a small compressed body cannot grow without bound. */
async function readText(answer: Response, maxBytes: number): Promise<string> {
  const reader = answer.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw new Error(`the answer is larger than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
