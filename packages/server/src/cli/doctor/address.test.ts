import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { useTestApp } from '../../../test/harness.ts';
import { freePort } from '../../../test/ports.ts';
import { TIMEOUT_MS } from '../../../test/timeouts.ts';
import { configOf } from '../../domain/provider-settings/rows-fixture.ts';
import { askAddresses, examineAddress } from './address.ts';
import { localAddress } from './ask-address.ts';

const app = useTestApp();
let kids: string[];
const documents = new Map<string, string>();
beforeAll(async () => {
  kids = app.deps.keys.jwks().keys.map(({ kid }) => kid);
  for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json']) {
    // An overloaded service answers 429 at first, so this is repeated.
    const read = async () => {
      const { statusCode, body } = await app.server.inject(path);
      if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`);
      return body;
    };
    documents.set(path, await vi.waitFor(read, { timeout: TIMEOUT_MS }));
  }
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(listener: RequestListener): Promise<{ url: string; port: number }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

/** The documents of the tested service, with the issuer that it would have at this address. */
const gatehouse =
  (issuer?: string): RequestListener =>
  ({ url, headers }, response) => {
    const own = issuer ?? `http://${headers.host}`;
    response.end(documents.get(url!)!.replaceAll('http://localhost:8080', own));
  };

async function examine(PUBLIC_BASE_URL: string, { own = kids as string[] | undefined, PORT = '0' } = {}) {
  const config = configOf({ PUBLIC_BASE_URL, PORT });
  return examineAddress(config, await askAddresses(config, TIMEOUT_MS), own);
}

describe('doctor: what answers at PUBLIC_BASE_URL', () => {
  it('is ok if this service answers', async () => {
    const { url } = await serve(gatehouse());
    expect(await examine(url)).toMatchObject({
      check: 'address',
      status: 'ok',
      detail: `this service answers at ${url}`,
    });
  });

  it('does not claim that this service answers if the database cannot be read', async () => {
    const { url } = await serve(gatehouse());
    const config = configOf({ PUBLIC_BASE_URL: url, PORT: '0' });
    const finding = examineAddress(config, await askAddresses(config, TIMEOUT_MS));
    expect(finding).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('it is unknown whether it is this one'),
    });
  });

  it('warns if another Gatehouse answers', async () => {
    const { url } = await serve(gatehouse());
    for (const own of [['of another database'], []]) {
      expect(await examine(url, { own })).toMatchObject({
        status: 'warning',
        detail: expect.stringContaining('another Gatehouse answers'),
      });
    }
  });

  it('warns if this service was started with other settings', async () => {
    const { url } = await serve(gatehouse('https://old.example.com\u009b31m'));
    expect(await examine(url)).toMatchObject({
      status: 'warning',
      detail: `the service at ${url} has the issuer https://old.example.com?31m: it was started with other settings`,
      fix: expect.stringContaining(`PUBLIC_BASE_URL=${url}`),
    });
  });

  it.each<[string, RequestListener, RegExp]>([
    ['a web page', (_, response) => void response.end('<h1>It works'), /something else answers at .* \(HTTP 200\)/],
    [
      'a proxy without a backend',
      (_, response) => void response.writeHead(502, { server: 'nginx/1.24.0' }).end(),
      /a proxy answers .* \(HTTP 502 from nginx\/1\.24\.0\)/,
    ],
    ['an overloaded server', (_, response) => void response.writeHead(429).end(), /is overloaded or limits requests/],
    ['an unknown path', (_, response) => void response.writeHead(404).end(), /something else answers .*HTTP 404/],
    [
      'control characters in a header',
      (_, response) => void response.writeHead(404, { server: 'x \u009b2J' }).end(),
      /HTTP 404\)$/,
    ],
    [
      'another OpenID provider',
      (_, response) => void response.end('{"issuer":"https://x.test","keys":[]}'),
      /something else answers/,
    ],
    ['the JSON value null', (_, response) => void response.end('null'), /something else answers/],
    ['an oversized document', (_, response) => void response.end('x'.repeat(70_000)), /something else answers/],
  ])('warns about %s', async (_, listener, detail) => {
    const { url } = await serve(listener);
    expect(await examine(url)).toMatchObject({ status: 'warning', detail: expect.stringMatching(detail) });
  });

  it('reports the target of a redirect and does not follow it', async () => {
    const { url } = await serve(
      (_, response) => void response.writeHead(301, { location: 'https://id.example.com/x?y' }).end(),
    );
    expect(await examine(url)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('redirects to https://id.example.com: links and cookies'),
      fix: expect.stringMatching(/^If https:\/\/id\.example\.com is the public address of the service, /),
    });
    const upgrade = await serve(
      ({ headers }, response) => void response.writeHead(308, { location: `https://${headers.host}/` }).end(),
    );
    expect(await examine(upgrade.url)).toMatchObject({
      detail: expect.stringContaining('cookies and links must use the https address'),
      fix: `Set PUBLIC_BASE_URL=${upgrade.url.replace('http:', 'https:')}`,
    });
    const loop = await serve((_, response) => void response.writeHead(302, { location: '/login' }).end());
    expect((await examine(loop.url)).detail).toContain('answers with a redirect');
  });
});

describe('doctor: nothing answers at PUBLIC_BASE_URL', () => {
  it('says to start the service if neither PUBLIC_BASE_URL nor the local port answers', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const finding = await examine(url);
    expect(finding).toMatchObject({ status: 'warning', fix: expect.stringContaining('gatehouse serve') });
    expect(finding.detail).toContain(
      `nothing answers at ${url}: the connection is refused (the service is not running`,
    );
    expect((await examine(url, { PORT: String(await freePort()) })).detail).toMatch(/nothing answers at .* either$/);
  });

  it('says that the route to the service is the cause if the local port answers but PUBLIC_BASE_URL does not', async () => {
    const { port } = await serve(gatehouse());
    const finding = await examine(`http://127.0.0.1:${await freePort()}`, { PORT: String(port) });
    expect(finding.detail).toContain(`the service itself answers at http://127.0.0.1:${port}`);
    expect(finding.fix).toContain('Behind a proxy');
  });

  it('warns if there is no answer in time', async () => {
    const { url } = await serve(() => {});
    const config = configOf({ PUBLIC_BASE_URL: url, PORT: '0' });
    expect(examineAddress(config, await askAddresses(config, 20), kids).detail).toContain('does not answer within');
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'has expired'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'unknown CA'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'for another host name'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'does not send the intermediate certificates'],
    ['CERT_NOT_YET_VALID', 'not valid yet'],
    ['ENOTFOUND', 'its host name cannot be resolved'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'the TLS handshake fails'],
    ['HPE_INVALID_CONSTANT', 'does not speak HTTP'],
    ['ESOMETHING', 'cannot be reached (ESOMETHING)'],
  ])('explains the error %s: %s', (code, words) => {
    const outside = { kind: 'silent', reason: 'unreachable', code } as const;
    const finding = examineAddress(configOf({}), { outside, inside: undefined }, kids);
    expect(finding).toMatchObject({ status: 'warning', detail: expect.stringContaining(words) });
    // If the error code identifies the fault, a service that answers on the local port does not change the remedy.
    const inside = { kind: 'gatehouse', issuer: 'https://id.example.com', kids } as const;
    const running = examineAddress(configOf({}), { outside, inside }, kids);
    expect(running.fix!.includes('Behind a proxy')).toBe(code === 'ESOMETHING');
  });
});

describe('the local address of the service', () => {
  it.each([
    ['127.0.0.1', 8080, 'http://127.0.0.1:8080'],
    ['0.0.0.0', 8080, 'http://127.0.0.1:8080'],
    ['::', 8080, 'http://[::1]:8080'],
    ['10.0.0.3', 80, 'http://10.0.0.3:80'],
    ['127.0.0.1', 0, undefined],
  ])('the local address for HOST %s and PORT %s is %s', (HOST, PORT, expected) =>
    expect(localAddress({ HOST, PORT })).toBe(expected),
  );
});
