interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** The timeout of the whole exchange, including the body. */
  timeoutMs?: number;
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  headers: Headers;
  body: Buffer;
}

export type OutboundReason = 'timeout' | 'unreachable' | 'too_large' | 'aborted' | 'invalid_request';

/** The message contains only the host: queries, headers, bodies and the messages of `fetch` may contain secrets. */
export class OutboundError extends Error {
  readonly reason: OutboundReason;
  /** The network error, such as ECONNREFUSED. */
  readonly code: string | undefined;
  constructor(host: string, reason: OutboundReason, code?: string) {
    super(`the request to ${host} failed: ${reason}${code ? ` (${code})` : ''}`);
    this.name = 'OutboundError';
    this.reason = reason;
    this.code = code;
  }
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/** All outgoing HTTP requests of the service use this function. Redirects are returned, never followed. */
export async function request(url: string, options: OutboundRequest): Promise<OutboundResponse> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (!target || !/^https?:$/.test(target.protocol) || target.username || target.password) {
    throw new OutboundError(target?.host || 'an unusable address', 'invalid_request');
  }
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([deadline.signal, options.signal]) : deadline.signal;
  try {
    const response = await fetch(target, {
      method: options.method,
      headers: { ...options.headers },
      ...(options.body !== undefined && { body: options.body }),
      redirect: 'manual',
      signal,
    });
    const body = await readBody(response, options.maxBytes ?? MAX_BYTES);
    if (body === undefined) throw new OutboundError(target.host, 'too_large');
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    if (options.signal?.aborted) throw new OutboundError(target.host, 'aborted');
    if (deadline.signal.aborted) throw new OutboundError(target.host, 'timeout');
    const code = networkCode(error);
    throw new OutboundError(target.host, code ? 'unreachable' : 'invalid_request', code);
  } finally {
    clearTimeout(timer);
  }
}

/** Counts decompressed bytes, so that a compressed body cannot grow without bound. Undefined if too large. */
async function readBody(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Returning cancels the stream and closes the connection.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `fetch` puts the network error into `cause`; a request that it rejected as invalid has no code there. */
function networkCode(error: unknown): string | undefined {
  const cause = (error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } }).cause;
  const code = cause?.code ?? cause?.errors?.[0]?.code;
  if (typeof code === 'string' && /^[A-Z0-9_]+$/.test(code)) return code.startsWith('ERR_INVALID') ? undefined : code;
  return error instanceof TypeError && cause === undefined && error.message === 'terminated' ? 'ECONNRESET' : undefined;
}

const WITHOUT_BODY = new Set([204, 205, 304]);

/** `request` with the interface of `fetch`, for libraries that make their own requests. */
export async function outboundFetch(
  url: string,
  init: { method: string; headers: Record<string, string>; body?: unknown },
): Promise<Response> {
  const { method, headers, body } = init;
  const answer = await request(url, {
    method: method as OutboundRequest['method'],
    headers,
    ...(body !== undefined && body !== null && { body: String(body) }),
  });
  return new Response(WITHOUT_BODY.has(answer.status) ? null : answer.body, {
    status: answer.status,
    headers: answer.headers,
  });
}
