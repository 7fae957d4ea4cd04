import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { OutboundError } from '../outbound.ts';
import { createNameLookup, type LookUpAll } from './name-lookup.ts';
import { guardedLookup, isPublicAddress, NOT_PUBLIC } from './public-address.ts';

interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The timeout of the whole exchange: name, connection, and response up to `maxBytes`. */
  readonly timeoutMs: number;
  /** The length up to which the body is read. */
  readonly maxBytes: number;
  /** False: private addresses and other ones that are not public are refused when the connection is made. */
  readonly allowPrivate: boolean;
  /** Replaces the look-up of names, in tests. */
  readonly lookUp?: LookUpAll;
  /** Replaces the DNS servers of the system, in tests. */
  readonly dnsServers?: readonly string[];
}

interface GuardedResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** At most `maxBytes`. */
  readonly body: Buffer;
  /** False if the body is longer than `maxBytes`, or ended early. */
  readonly complete: boolean;
}

/**
 * A request to a URL that a user has configured. Redirects are returned, never followed. Each request has its own
 * connection, so that its address is always checked. Throws an `OutboundError`, also for an address that is not public
 * (code `ENOTPUBLIC`).
 */
export function guardedRequest(url: string, options: GuardedRequest): Promise<GuardedResponse> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (!target || !/^https?:$/.test(target.protocol) || target.username || target.password) {
    return Promise.reject(new OutboundError(target?.host || 'an unusable address', 'invalid_request'));
  }
  const host = target.hostname.replace(/^\[|\]$/g, '');
  // A host that is an address is connected to without a look-up.
  if (!options.allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.reject(new OutboundError(target.host, 'unreachable', NOT_PUBLIC));
  }
  return exchange(target, options);
}

function exchange(target: URL, options: GuardedRequest): Promise<GuardedResponse> {
  const { method, headers, body, allowPrivate } = options;
  const names = createNameLookup(options.dnsServers);
  const settings: RequestOptions = {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
    agent: false,
    lookup: guardedLookup(options.lookUp ?? names.lookUp, { allowPrivate }),
  };
  return new Promise((resolve, reject) => {
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(target, settings);
    const end = (): void => {
      clearTimeout(timer);
      names.cancel();
      request.destroy();
    };
    const fail = (error: OutboundError): void => {
      end();
      reject(error);
    };
    const timer = setTimeout(() => fail(new OutboundError(target.host, 'timeout')), options.timeoutMs);
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(new OutboundError(target.host, 'unreachable', codeOf(error))),
    );
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const settle = (complete: boolean): void => {
        const all = Buffer.concat(chunks).subarray(0, options.maxBytes);
        resolve({ status: response.statusCode!, headers: response.headers, body: all, complete });
        end();
      };
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > options.maxBytes) settle(false);
      });
      response.on('end', () => settle(true));
      response.on('error', () => settle(false));
      if (options.maxBytes === 0) settle(false);
    });
    request.end(body);
  });
}

const codeOf = ({ code }: NodeJS.ErrnoException): string | undefined =>
  code !== undefined && /^[A-Z0-9_]+$/.test(code) ? code : undefined;
