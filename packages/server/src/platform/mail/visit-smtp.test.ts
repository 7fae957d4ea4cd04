import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { visitSmtp } from './visit-smtp.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function startServer(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    logger: false,
    onAuth: ({ password }, _session, done) =>
      password === 'right' ? done(null, { user: 'u' }) : done(new Error('no')),
    ...options,
  });
  server.on('error', () => {});
  closers.push(() => server.close(() => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.server.address() as AddressInfo).port;
}

async function startSilence(): Promise<number> {
  const server: Server = createServer((socket) => closers.push(() => socket.destroy()));
  closers.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const visit = (url: string, timeoutMs = 60_000) => visitSmtp({ url, timeoutMs });
const ANY_CERTIFICATE = 'tls.rejectUnauthorized=false';

describe('a check of an SMTP server', () => {
  it('uses TLS if the server supports it, even if not required', async () => {
    const port = await startServer();
    expect(await visit(`smtp://u:right@127.0.0.1:${port}?${ANY_CERTIFICATE}`)).toEqual({
      welcome: true,
      encrypted: true,
    });
    const secure = await startServer({ secure: true });
    expect(await visit(`smtps://u:right@127.0.0.1:${secure}?${ANY_CERTIFICATE}`)).toEqual({
      welcome: true,
      encrypted: true,
    });
  });

  it('continues without TLS if the server does not support it, unless required', async () => {
    const port = await startServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const url = `smtp://u:right@127.0.0.1:${port}`;
    expect(await visit(url)).toEqual({ welcome: true, encrypted: false });
    expect(await visit(`${url}?requireTLS=true`)).toMatchObject({ welcome: false, reason: 'tls' });
    expect(await visit(`${url}?ignoreTLS=true`)).toEqual({ welcome: true, encrypted: false });
  });

  it('reports an untrusted certificate', async () => {
    const port = await startServer();
    expect(await visit(`smtp://u:right@127.0.0.1:${port}`)).toMatchObject({
      welcome: false,
      code: expect.stringMatching(/^(DEPTH_ZERO_SELF_SIGNED_CERT|CERT_HAS_EXPIRED|SELF_SIGNED_CERT_IN_CHAIN)$/),
    });
  });

  it('distinguishes wrong credentials from a server without authentication', async () => {
    const port = await startServer();
    const wrong = await visit(`smtp://u:wrong@127.0.0.1:${port}?${ANY_CERTIFICATE}`);
    expect(wrong).toEqual({ welcome: false, reason: 'credentials', code: undefined });
    const open = await startServer({ authOptional: true, disabledCommands: ['AUTH'] });
    expect(await visit(`smtp://127.0.0.1:${open}?${ANY_CERTIFICATE}`)).toMatchObject({ welcome: true });
    const refused = await visit(`smtp://u:right@127.0.0.1:${open}?${ANY_CERTIFICATE}`);
    expect(refused).toMatchObject({ welcome: false, reason: 'credentials' });
  });

  it('fails for a server that sends nothing and for an unreachable one', async () => {
    expect(await visit(`smtp://127.0.0.1:${await startSilence()}`, 50)).toMatchObject({
      welcome: false,
      reason: 'timeout',
    });
    expect(await visit('smtp://127.0.0.1:1')).toEqual({ welcome: false, reason: 'unreachable', code: 'ECONNREFUSED' });
  });
});
