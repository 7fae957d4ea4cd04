import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../test/clock.ts';
import { type FakeMailApi, startFakeMailApi } from '../../../test/fake-mail-api.ts';
import { type FakeMailServer, startFakeMailServer } from '../../../test/fake-mail-server.ts';
import { RELEASED_WITHIN_MS } from '../../../test/timeouts.ts';
import { createApiTransport } from './api.ts';
import { openMailFolder } from './folder.ts';
import { MailError, type MailMessage, type MailTransport } from './message.ts';
import { createSmtpTransport } from './smtp.ts';

const message = (changes: Partial<MailMessage> = {}): MailMessage => ({
  id: uuidv7(),
  to: 'ada@example.com',
  from: 'Gatehouse <id@example.org>',
  subject: 'Grüße',
  text: 'Der Code ist 123456.\n',
  html: '<p>Der Code ist <b>123456</b>.</p>',
  ...changes,
});

const send = (transport: MailTransport, mail: MailMessage) => transport.send(mail, { idempotencyKey: mail.id });

const failure = (promise: Promise<void>): Promise<MailError> =>
  promise.then(
    () => expect.unreachable('the send should fail'),
    (error) => {
      expect(error).toBeInstanceOf(MailError);
      expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(/ada@|123456|hush|password/);
      return error;
    },
  );

/** No transport allows a value to end a header line, or one recipient to become two. */
async function refusesInjection(transport: MailTransport): Promise<void> {
  const bad: Partial<MailMessage>[] = [
    { subject: 'hi\r\nBcc: eve@example.com' },
    { subject: 'hi\nthere' },
    { to: 'ada@example.com\r\nBcc: eve@example.com' },
    { to: 'ada@example.com, eve@example.com' },
    { to: 'Eve <eve@example.com>' },
    { from: 'id@example.org\r\nBcc: eve@example.com' },
  ];
  for (const changes of bad) expect((await failure(send(transport, message(changes)))).permanent).toBe(true);
}

describe('mail by the HTTP API', () => {
  let api: FakeMailApi;
  let transport: MailTransport;
  beforeEach(async () => {
    api = await startFakeMailApi();
    transport = createApiTransport({ baseUrl: `${api.url}/`, apiKey: 're_hush' });
  });
  afterEach(() => api.close());

  it('the HTTP API gets the mail with its idempotency key', async () => {
    const mail = message();
    await send(transport, mail);
    const { from, subject, text, html } = mail;
    expect(api.requests).toEqual([
      {
        path: '/emails',
        method: 'POST',
        authorization: 'Bearer re_hush',
        idempotencyKey: mail.id,
        body: { from, to: [mail.to], subject, text, html },
      },
    ]);
  });

  it.each([
    [500, false],
    [429, false],
    [302, false],
    [401, false],
    [403, false],
    [422, true],
  ] as const)('response %i of the HTTP API is a permanent failure: %s', async (status, permanent) => {
    api.mode = status;
    const error = await failure(send(transport, message()));
    expect(error).toMatchObject({ reason: `http_${status}`, permanent });
    expect(error.retryAfter).toBe(status === 429 ? 2 : undefined);
  });

  it('the HTTP API fails temporarily if the server hangs or is unreachable', async () => {
    api.mode = 'hang';
    const hasty = createApiTransport({ baseUrl: api.url, apiKey: 're_hush', timeoutMs: 50 });
    expect(await failure(send(hasty, message()))).toMatchObject({ reason: 'timeout', permanent: false });
    await api.close();
    expect(await failure(send(transport, message()))).toMatchObject({ reason: 'unreachable', permanent: false });
  });

  it('the HTTP API rejects header injection', async () => {
    await refusesInjection(transport);
    expect(api.requests).toEqual([]);
  });
});

describe('mail by SMTP', () => {
  let server: FakeMailServer;
  let transport: MailTransport;
  beforeEach(async () => {
    server = await startFakeMailServer();
    transport = createSmtpTransport({ url: server.url });
  });
  afterEach(async () => {
    await transport.close();
    await server.close();
  });

  it('SMTP sends text and HTML with a Message-ID made from the id of the mail', async () => {
    const mail = message();
    await send(transport, mail);
    await send(transport, mail);
    expect(server.mails).toHaveLength(2);
    for (const { from, to, raw } of server.mails) {
      const parsed = await PostalMime.parse(raw);
      expect({ from, to }).toEqual({ from: 'id@example.org', to: ['ada@example.com'] });
      expect(parsed.messageId).toBe(`<${mail.id}@example.org>`);
      expect(parsed.subject).toBe('Grüße');
      expect(parsed.text?.trim()).toBe(mail.text.trim());
      expect(parsed.html?.trim()).toBe(mail.html);
    }
  });

  it.each([
    [550, true],
    [451, false],
  ])('response %i of the SMTP server is a permanent failure: %s', async (code, permanent) => {
    server.mode = code;
    expect(await failure(send(transport, message()))).toMatchObject({ reason: `smtp_${code}`, permanent });
  });

  it('SMTP distinguishes an unreachable server from wrong credentials', async () => {
    const dead = createSmtpTransport({ url: 'smtp://127.0.0.1:1' });
    expect(await failure(send(dead, message()))).toMatchObject({ reason: 'unreachable', permanent: false });
    const outsider = createSmtpTransport({ url: server.url.replace('mailer-password', 'hush') });
    expect(await failure(send(outsider, message()))).toMatchObject({ reason: 'smtp_535', permanent: false });
    await Promise.all([dead.close(), outsider.close()]);
  });

  it('SMTP keeps its connection until closed, and reconnects when used again', async () => {
    await send(transport, message());
    await send(transport, message());
    expect(server.connections()).toBe(1);
    await transport.close();
    await expect.poll(() => server.connections(), { timeout: RELEASED_WITHIN_MS }).toBe(0);
    await send(transport, message());
    expect(server.mails).toHaveLength(3);
  });

  it('SMTP rejects header injection', async () => {
    await refusesInjection(transport);
    expect(server.mails).toEqual([]);
  });
});

describe('mail to a folder', () => {
  let path: string;
  const clock = createTestClock();
  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'gh-mail-')), 'mail');
  });
  afterEach(() => rm(join(path, '..'), { recursive: true, force: true }));

  it('the folder gets one private JSON file for each mail', async () => {
    const folder = openMailFolder({ path, clock });
    const mail = message();
    await send(folder.transport, mail);
    const names = await readdir(path);
    expect(names).toEqual([expect.stringMatching(new RegExp(`^\\d{8}T\\d{9}Z-${mail.id}\\.json$`))]);
    const file = join(path, names[0]!);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ ...mail, sent_at: clock.now().toISOString() });
  });

  it('the folder keeps one file per mail id, however often the mail is sent', async () => {
    const folder = openMailFolder({ path, clock });
    const mail = message();
    await send(folder.transport, mail);
    clock.advance(60);
    await send(folder.transport, mail);
    expect(await readdir(path)).toHaveLength(1);
  });

  it('the folder lists newest first, keeps only the newest mails, and finds one by id', async () => {
    const folder = openMailFolder({ path, clock, keep: 3 });
    expect(await folder.list()).toEqual([]);
    const mails = Array.from({ length: 5 }, () => message());
    for (const mail of mails) {
      clock.advance(1);
      await send(folder.transport, mail);
    }
    const kept = mails.slice(2).reverse();
    expect((await folder.list()).map((mail) => mail.id)).toEqual(kept.map((mail) => mail.id));
    expect((await folder.find(kept[1]!.id))?.id).toBe(kept[1]!.id);
    for (const id of [mails[0]!.id, '../../etc/passwd', '']) expect(await folder.find(id)).toBeUndefined();
  });

  it('the folder ignores files that are not mails', async () => {
    const folder = openMailFolder({ path, clock });
    await send(folder.transport, message());
    await writeFile(join(path, 'notes.txt'), 'hello');
    await writeFile(join(path, `20300115T120000000Z-${uuidv7()}.json`), 'not json');
    expect(await folder.list()).toHaveLength(1);
  });

  it('the folder fails temporarily if it is not writable', async () => {
    await writeFile(path, 'a file in its place');
    const folder = openMailFolder({ path, clock });
    expect(await failure(send(folder.transport, message()))).toMatchObject({ permanent: false });
  });

  it('the folder rejects header injection', () => refusesInjection(openMailFolder({ path, clock }).transport));
});
