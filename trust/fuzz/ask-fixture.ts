import { Agent, type IncomingHttpHeaders, maxHeaderSize, request as send } from 'node:http';
import { checkServed } from '../../packages/server/test/openapi-watch.ts';

export interface Asked {
  readonly method: string;
  /** The path as it is sent in the request line. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends paths, headers and bodies unchanged, without any validation. */
export function ask(url: string, asked: Asked): Promise<Answer> {
  return askOnce(url, asked).catch((error: NodeJS.ErrnoException & { reused?: boolean }) => {
    // The server closed an idle connection just as it was reused.
    if (error.reused && error.code === 'ECONNRESET') return askOnce(url, asked);
    throw error;
  });
}

function askOnce(url: string, { method, path, headers = {}, body }: Asked): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const request = send({ agent, hostname, port, method, path, headers: { ...length, ...headers } as never });
    request.on('error', (error) => reject(Object.assign(error, { reused: request.reusedSocket })));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.end(body);
  });
}

/**
 * Returns what is wrong with a response, or undefined. The response must not be a 5xx, it must match the OpenAPI
 * document, and a 400 must name a field: `field` if it is given.
 */
export function faultOf(url: string, { method, path }: Asked, answer: Answer, field?: string): string | undefined {
  const { status, headers, text } = answer;
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  // A response to HEAD has no body.
  if (method === 'HEAD' && status >= 400)
    return headers['content-type']?.startsWith('application/json') ? undefined : 'an error that is no JSON';
  try {
    checkServed(url, { method, path, status, headers, body: text });
  } catch (error) {
    return (error as Error).message;
  }
  if (status !== 400) return undefined;
  // Node rejects a longer request line before a parameter is read.
  const named = path.length > maxHeaderSize ? 'request' : field;
  return namesField(text, named) ? undefined : `the 400 does not name ${named ?? 'a field'}: ${text.slice(0, 300)}`;
}

/**
 * Whether the message (`password: must be …; email: …`) names the field, or an element of it (`scopes.0: …`). Below
 * `/oauth`, the response may be a page.
 */
function namesField(text: string, field?: string): boolean {
  if (text.startsWith('<!doctype html>')) return true;
  const { error, error_description } = JSON.parse(text) as OAuthError | ServiceErrorBody;
  const message = error_description ?? error.message;
  const named = message.split('; ').map((fault) => /^([^:]{1,200}): /.exec(fault)?.[1]);
  return field === undefined
    ? named[0] !== undefined
    : named.some((name) => name === field || name?.startsWith(`${field}.`));
}

interface OAuthError {
  readonly error: string;
  readonly error_description: string;
}

interface ServiceErrorBody {
  readonly error: { readonly message: string };
  readonly error_description?: undefined;
}

export const codeOf = ({ text }: Answer): string | undefined => /^\{"error":\{"code":"(\w+)"/.exec(text)?.[1];

export const jsonOf = <T>({ text }: Answer): T => JSON.parse(text) as T;

export const bearerOf = ({ access_token }: { access_token: string }) => ({ authorization: `Bearer ${access_token}` });

export const JSON_TYPE = { 'content-type': 'application/json' } as const;
