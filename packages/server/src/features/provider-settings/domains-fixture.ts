import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TIMEOUT_MS } from '../../../test/timeouts.ts';

/** `huge`: a body above one mebibyte. `stall`: a body that never ends. `sends only`: a key restricted to sending. */
export type DomainsMode = number | 'hang' | 'stall' | 'huge' | 'cut' | 'sends only';

interface DomainsRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

export interface FakeDomains {
  readonly url: string;
  readonly requests: DomainsRequest[];
  mode: DomainsMode;
  close(): Promise<void>;
}

/** Text of the provider, which must not reach any client. */
export const UPSTREAM_TEXT = 'words of the mail provider';

export async function startFakeDomains(): Promise<FakeDomains> {
  const requests: DomainsRequest[] = [];
  const server = createServer((message, response) => {
    const { authorization } = message.headers;
    requests.push({ method: message.method ?? '', path: message.url ?? '', authorization });
    const { mode } = fake;
    if (mode === 'hang') return;
    if (mode === 'cut') return void message.socket.destroy();
    if (mode === 'stall') return void response.writeHead(200).write('{"data":');
    if (mode === 'huge') return void response.writeHead(200).end(Buffer.alloc(1024 * 1024 + 1, 0x20));
    if (mode === 'sends only')
      return void response.writeHead(401).end('{"statusCode":401,"name":"restricted_api_key"}');
    const headers = mode >= 300 && mode < 400 ? { location: `${fake.url}/elsewhere` } : {};
    // The real API also quotes its input in errors.
    response
      .writeHead(mode, UPSTREAM_TEXT, headers)
      .end(mode === 204 ? '' : JSON.stringify({ message: `${UPSTREAM_TEXT} ${authorization}` }));
  });
  // Keep-alive must outlast a pause of the machine: a request on a connection that is being closed fails.
  server.keepAliveTimeout = TIMEOUT_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeDomains = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    mode: 200,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}
