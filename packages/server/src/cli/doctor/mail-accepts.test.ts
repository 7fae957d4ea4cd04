import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeMailServer, startFakeMailServer } from '../../../test/fake-mail-server.ts';
import { freePort } from '../../../test/ports.ts';
import { RELEASED_WITHIN_MS } from '../../../test/timeouts.ts';
import { configOf, NEW_KEY, rowOf } from '../../domain/provider-settings/rows-fixture.ts';
import { type FakeDomains, startFakeDomains, UPSTREAM_TEXT } from '../../features/provider-settings/domains-fixture.ts';
import type { Environment } from '../../platform/config/load.ts';
import { checkServer, examineMailAccepts } from './mail-accepts.ts';
import { statesOf } from './providers.ts';

const examine = async (environment: Environment, rows = [] as Parameters<typeof statesOf>[1]) => {
  const config = configOf({ CONFIG_ENCRYPTION_KEY: NEW_KEY, ...environment });
  const findings = await examineMailAccepts(config, statesOf(config, rows), 60_000);
  expect(JSON.stringify(findings)).not.toMatch(new RegExp(`re_env|re_hush|hunter2|mailer-password|${UPSTREAM_TEXT}`));
  return findings;
};

describe('doctor: no mail transport', () => {
  it('has no finding without a mail transport', async () => expect(await examine({})).toEqual([]));
});

describe('doctor: mail API', () => {
  let domains: FakeDomains;
  beforeEach(async () => {
    domains = await startFakeDomains();
  });
  afterEach(() => domains.close());
  const ask = () =>
    examine({ EMAIL_API_KEY: 're_env', EMAIL_FROM: 'a@example.com', EMAIL_API_BASE_URL: `${domains.url}/` });

  it('accepts a valid key of the mail API, from the environment or stored', async () => {
    expect(await ask()).toMatchObject([
      { check: 'mail API', status: 'ok', detail: expect.stringContaining('EMAIL_API_KEY') },
    ]);
    const stored = await examine({ EMAIL_API_BASE_URL: domains.url }, [rowOf('email_transport')]);
    expect(stored).toMatchObject([{ status: 'ok', detail: expect.stringContaining('the stored key') }]);
    expect(domains.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /domains', 'GET /domains']);
  });

  it.each([
    [401, /rejects EMAIL_API_KEY \(HTTP 401\)/],
    [403, /rejects/],
    [429, /overloaded/],
    [503, /overloaded/],
    [404, /not respond like a mail API/],
    [302, /not respond like a mail API/],
    ['cut', /cannot be queried: it closes the connection/],
    ['huge', /cannot be queried/],
  ] as const)('warns about the response %s', async (mode, detail) => {
    domains.mode = mode;
    const [finding] = await ask();
    expect(finding).toMatchObject({ check: 'mail API', status: 'warning', detail: expect.stringMatching(detail) });
    expect(finding!.fix).toBeTruthy();
  });

  it('accepts a key that is restricted to sending', async () => {
    domains.mode = 'sends only';
    expect(await ask()).toMatchObject([{ status: 'ok', detail: 'accepts EMAIL_API_KEY, for sending only' }]);
  });
});

describe('doctor: SMTP server', () => {
  let server: FakeMailServer;
  beforeEach(async () => {
    server = await startFakeMailServer();
  });
  afterEach(() => server.close());
  const visit = (SMTP_URL: string) => examine({ SMTP_URL });

  it('signs in to the SMTP server with user and password, and sends no mail', async () => {
    expect(await visit(server.url)).toMatchObject([
      {
        check: 'mail server',
        status: 'ok',
        detail: expect.stringMatching(/^127\.0\.0\.1:\d+ accepts the user and password$/),
      },
    ]);
    expect(server.mails).toEqual([]);
    await expect.poll(() => server.connections(), { timeout: RELEASED_WITHIN_MS }).toBe(0);
  });

  it('warns about a wrong password and an unreachable server', async () => {
    expect(await visit(server.url.replace('mailer-password', 'hunter2'))).toMatchObject([
      {
        status: 'warning',
        detail: expect.stringContaining('rejects the user and password'),
        fix: expect.stringContaining('%40'),
      },
    ]);
    expect(await visit(`smtp://u:hunter2@127.0.0.1:${await freePort()}`)).toMatchObject([
      { status: 'warning', detail: expect.stringContaining('the connection is refused') },
    ]);
  });

  it.each([
    ['smtp://u:hunter2@mail.example.com', true, 'warning', /can disable the encryption/],
    ['smtp://u:hunter2@mail.example.com', false, 'warning', /without encryption/],
    ['smtp://mail.example.com?requireTLS=true', true, 'ok', /without a password, encrypted/],
    ['smtps://u:hunter2@mail.example.com', true, 'ok', /accepts the user and password$/],
    ['smtp://localhost:25', false, 'ok', /accepts connections/],
  ])('SMTP_URL %s, connection encrypted %s: the finding is %s', (url, encrypted, status, detail) => {
    const finding = checkServer(url, { welcome: true, encrypted });
    expect(finding).toMatchObject({ status, detail: expect.stringMatching(detail) });
    expect(JSON.stringify(finding)).not.toContain('hunter2');
  });

  it.each([
    ['tls', undefined, /does not offer TLS/],
    ['unreachable', 'DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed/],
    ['tls', 'CERT_HAS_EXPIRED', /has expired/],
    ['timeout', 'ETIMEDOUT', /does not answer within/],
    ['smtp_554', undefined, /rejects the connection \(554\)/],
  ])('warns if the connection fails with the reason %s and the code %s', (reason, code, detail) => {
    const finding = checkServer('smtps://u:hunter2@mail.example.com', { welcome: false, reason, code });
    expect(finding).toMatchObject({ check: 'mail server', status: 'warning', detail: expect.stringMatching(detail) });
  });
});
