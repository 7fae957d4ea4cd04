import { later } from './moment.ts';

export interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  /** Seconds that the response was in a cache. */
  readonly age: string | undefined;
  /** When the service responded, by its own clock. */
  readonly date: string | undefined;
  readonly text: string;
}

export interface Request {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
  /** If present, the request is a POST. */
  readonly body?: string;
  readonly maxBytes: number;
  /** For the whole exchange, including the body. */
  readonly timeoutMs: number;
  /** Maximum time between two parts of the response. If omitted, only the whole exchange is limited. */
  readonly idleTimeoutMs?: number;
  /** Called for each chunk of the body. */
  readonly onBytes?: () => void;
  readonly signal?: AbortSignal | undefined;
}

/** A request with a limit of time and size. Redirects fail: only the configured address may answer for the service. */
export function boundedFetch(request: Request): Promise<Answer> {
  const { url, fetch, headers, body, maxBytes, timeoutMs, idleTimeoutMs = timeoutMs, signal } = request;
  const { onBytes = () => {} } = request;
  const controller = new AbortController();
  const exchange = async (onChunk: () => void): Promise<Answer> => {
    const sent = { accept: 'application/json', 'cache-control': 'no-cache', ...headers };
    const init = { headers: sent, cache: 'no-store', redirect: 'error', signal: controller.signal } as const;
    const answer = await fetch(url, body === undefined ? init : { ...init, method: 'POST', body });
    const text = await readText(answer, maxBytes, onChunk);
    return {
      status: answer.status,
      etag: answer.headers.get('etag') ?? undefined,
      age: answer.headers.get('age') ?? undefined,
      date: answer.headers.get('date') ?? undefined,
      text,
    };
  };
  // A custom `fetch` may ignore the signal, so the promise is rejected here as well.
  return new Promise((resolve, reject) => {
    const end = (): void => {
      stopTimer();
      stopIdleTimer();
      signal?.removeEventListener('abort', close);
    };
    const failWith = (reason: string) => (): void => {
      end();
      reject(new Error(reason));
      controller.abort();
    };
    const close = failWith('the verifier was closed');
    const startIdleTimer = () => later(idleTimeoutMs, failWith(`no answer within ${idleTimeoutMs} ms`));
    const stopTimer = later(timeoutMs, failWith(`no complete response within ${timeoutMs} ms`));
    let stopIdleTimer = startIdleTimer();
    if (signal?.aborted) return close();
    signal?.addEventListener('abort', close);
    exchange(() => {
      stopIdleTimer();
      // Chunks from a `fetch` that ignores the signal must not restart the timer.
      if (!controller.signal.aborted) stopIdleTimer = startIdleTimer();
      onBytes();
    })
      .then(resolve, reject)
      .finally(end);
  });
}

/** Counts decompressed bytes, so that a small compressed body cannot grow without bound. */
async function readText(answer: Response, maxBytes: number, onChunk: () => void): Promise<string> {
  const reader = answer.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    onChunk();
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw new Error(`the response is larger than ${maxBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
