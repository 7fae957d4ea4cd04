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
  /** Milliseconds without a byte. Left out, only the whole exchange is timed. */
  readonly idleTimeout?: number;
  /** Called for each piece of the body. */
  readonly onBytes?: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** GET with a limit of time and size. A redirect is a failure: nobody else speaks for the service. */
export function boundedFetch(request: Request): Promise<Answer> {
  const { url, fetch, headers, maxBytes, timeout, idleTimeout = timeout, onBytes = () => {}, signal } = request;
  const controller = new AbortController();
  const exchange = async (onPiece: () => void): Promise<Answer> => {
    const sent = { accept: 'application/json', 'cache-control': 'no-cache', ...headers };
    const init = { headers: sent, cache: 'no-store', redirect: 'error', signal: controller.signal } as const;
    const answer = await fetch(url, init);
    const text = await readText(answer, maxBytes, onPiece);
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
      stopTimer();
      stopIdleTimer();
      signal?.removeEventListener('abort', close);
    };
    const giveUp = (reason: string) => (): void => {
      end();
      reject(new Error(reason));
      controller.abort();
    };
    const close = giveUp('the verifier was closed');
    const startIdleTimer = () => later(idleTimeout, giveUp(`no answer within ${idleTimeout} ms`));
    const stopTimer = later(timeout, giveUp(`no whole answer within ${timeout} ms`));
    let stopIdleTimer = startIdleTimer();
    signal?.addEventListener('abort', close);
    exchange(() => {
      stopIdleTimer();
      // What comes after the end, from a `fetch` that does not listen, must not start anything.
      if (!controller.signal.aborted) stopIdleTimer = startIdleTimer();
      onBytes();
    })
      .then(resolve, reject)
      .finally(end);
  });
}

/** Counts what was unpacked, so that a small compressed body cannot grow without bound. */
async function readText(answer: Response, maxBytes: number, onPiece: () => void): Promise<string> {
  const reader = answer.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    onPiece();
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw new Error(`the answer is larger than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
