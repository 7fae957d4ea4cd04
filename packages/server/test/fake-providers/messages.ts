import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly query: Record<string, string>;
  /** Present if the body is form-encoded. */
  readonly form?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** Strings and bytes are sent unchanged, all else as JSON. */
  readonly body: unknown;
}

export async function receive(message: IncomingMessage): Promise<ReceivedRequest> {
  const url = new URL(message.url ?? '/', 'http://127.0.0.1');
  const body = await text(message);
  const isForm = message.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return {
    method: message.method ?? '',
    path: url.pathname,
    headers: message.headers,
    query: Object.fromEntries(url.searchParams),
    ...(isForm && { form: Object.fromEntries(new URLSearchParams(body)) }),
  };
}

export const DENIED = { error: 'access_denied', error_description: 'The user has denied access.' };

export const bearerOf = ({ headers }: ReceivedRequest): string =>
  /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';

/** Quotes the request in errors, as real providers do, so that tests can prove that nothing of it leaks. */
export const quote = ({ form = {}, query, headers }: ReceivedRequest): string =>
  ['refused', form.code, form.client_secret, form.code_verifier, ...Object.values(query), headers.authorization]
    .filter((part) => part !== undefined)
    .join(' ');

export const jsonText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));
