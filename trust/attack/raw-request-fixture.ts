import { request } from 'node:http';

export interface Raw {
  readonly method?: string;
  /** The path as it is sent in the request line. */
  readonly path: string;
  /** Sent in this order; names may repeat. Characters beyond Latin-1 are sent as UTF-8 bytes. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly set_cookies: readonly string[];
  readonly text: string;
  readonly code: string | undefined;
}

const onTheWire = (text: string): string => (/[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text);

export function sendRaw(url: string, { method = 'GET', path, headers = [], body }: Raw): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const sent: string[] = [];
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) sent.push('host', `${hostname}:${port}`);
  for (const [name, value] of headers) sent.push(name, onTheWire(value));
  if (body !== undefined) sent.push('content-length', String(Buffer.byteLength(body)));
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, headers: sent, setHost: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({
          status: answer.statusCode!,
          headers: answer.headers,
          set_cookies: answer.headers['set-cookie'] ?? [],
          text,
          code: /^\{"error":\{"code":"(\w+)"/.exec(text)?.[1],
        });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

/** Returns status and error code: `401 authentication_required`, or `204`. */
export const outcome = ({ status, code }: Pick<RawAnswer, 'status' | 'code'>): string =>
  code === undefined ? String(status) : `${status} ${code}`;
