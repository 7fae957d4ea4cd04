import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface FakeMailServer {
  readonly url: string;
  readonly mails: { from: string; to: string[]; raw: Buffer }[];
  /** If it is a number, every recipient is rejected with this code. */
  mode: 'ok' | number;
  connections(): number;
  close(): Promise<void>;
}

/** An SMTP server on loopback that requires user `mailer` and password `mailer-password`. */
export async function startFakeMailServer(): Promise<FakeMailServer> {
  const smtpError = (code: number, text: string) => Object.assign(new Error(text), { responseCode: code });
  const server = new SMTPServer({
    logger: false,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'mailer' && password === 'mailer-password'
        ? done(null, { user: username })
        : done(smtpError(535, `wrong password ${password}`)),
    onRcptTo: ({ address }, _session, done) =>
      fake.mode === 'ok' ? done() : done(smtpError(fake.mode, `no mailbox ${address}`)),
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope;
      void buffer(stream).then((raw) => {
        fake.mails.push({ from: (mailFrom || { address: '' }).address, to: rcptTo.map((to) => to.address), raw });
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const fake: FakeMailServer = {
    url: `smtp://mailer:mailer-password@127.0.0.1:${port}`,
    mails: [],
    mode: 'ok',
    connections: () => server.connections.size,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return fake;
}
