import { createServer, type ServerResponse } from 'node:http';
import { freePort } from '../../packages/server/test/ports.ts';

export type Behaviour = 500 | 'reset' | 'nonsense' | 'refused' | 'silent' | 'drips' | 'endless';

/** An identity provider that fails in every way except by wrong claims. */
export interface BadProvider {
  readonly env: Record<string, string>;
  behave(behaviour: Behaviour): Promise<void>;
  close(): Promise<void>;
}

const ANSWERS: Record<Exclude<Behaviour, 'refused'>, (response: ServerResponse) => void> = {
  500: (response) => void response.writeHead(500).end('{}'),
  reset: (response) => response.socket?.resetAndDestroy(),
  nonsense: (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
  silent: () => {},
  drips: (response) => pour(response, ' ', 200),
  endless: (response) => pour(response, ' '.repeat(65_536), 0),
};

function pour(response: ServerResponse, piece: string, every: number): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(piece), every);
  response.on('close', () => clearInterval(timer));
}

export async function startBadProvider(): Promise<BadProvider> {
  let behaviour: Behaviour = 500;
  const server = createServer((_request, response) => {
    if (behaviour !== 'refused') ANSWERS[behaviour](response);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const shut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const port = await freePort();
  await listen(port);
  const site = `http://127.0.0.1:${port}`;
  return {
    env: {
      OAUTH_A_CLIENT_ID: 'client',
      OAUTH_A_CLIENT_SECRET: 'a secret of some length',
      OAUTH_A_ISSUER: site,
      OAUTH_A_AUTHORIZATION_URL: `${site}/authorize`,
      OAUTH_A_TOKEN_URL: `${site}/token`,
      OAUTH_A_JWKS_URL: `${site}/keys`,
    },
    async behave(next) {
      if (behaviour === 'refused') await listen(port);
      behaviour = next;
      if (next === 'refused') await shut();
    },
    close: () => (behaviour === 'refused' ? Promise.resolve() : shut()),
  };
}
