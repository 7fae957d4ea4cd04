import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertSession, startTestApp } from '../../../test/harness.ts';
import { lockUserRow, setUser, untilBlocked } from '../../../test/records.ts';
import { SYSTEM } from '../../domain/kernel/caller.ts';
import { createCsrfToken } from '../../http/csrf.ts';
import { form } from './form-fixture.ts';
import { bearer, type Probe, plain, type Session, startProbe, URL_PATH } from './probe-fixture.ts';
import { storeAvatar } from './store-avatar.ts';

let probe: Probe;
let port: number;
const inColours = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      plain(40, 40, `rgb(${index * 12}, 0, 99)`)
        .png()
        .toBuffer(),
    ),
  );
beforeAll(async () => {
  probe = await startProbe();
  await probe.app.server.listen({ port: 0, host: '127.0.0.1' });
  port = (probe.app.server.server.address() as { port: number }).port;
});
afterAll(() => probe.app.close());

describe('order of the checks', () => {
  it('an upload without a credential or CSRF header is rejected before its body is checked', async () => {
    const { payload, headers } = form({ content: 'not a picture' });
    const send = (more: Record<string, string>) =>
      probe.app.server.inject({ method: 'POST', url: URL_PATH, payload, headers: { ...headers, ...more } });
    expect((await send({})).statusCode).toBe(401);
    expect((await send({ authorization: 'Bearer x' })).statusCode).toBe(401);
    const csrf = createCsrfToken(probe.app.deps.keyring, probe.me.session_id);
    const cookie = `service_at=${probe.me.access_token}; service_csrf=${csrf}`;
    const without = await send({ cookie });
    expect([without.statusCode, without.json().error.code]).toEqual([403, 'csrf_failed']);
    expect((await send({ cookie, 'x-service-csrf': csrf })).statusCode).toBe(400);
    const removal = await probe.app.server.inject({ method: 'DELETE', url: URL_PATH, headers: { cookie } });
    expect(removal.statusCode).toBe(403);
    expect((await probe.app.server.inject({ method: 'DELETE', url: URL_PATH })).statusCode).toBe(401);
  });
});

describe('storing an avatar', () => {
  it('a new picture replaces the old one, and is audited', async () => {
    const session = await insertSession(probe.app);
    const first = (await probe.upload(await plain(30, 30, 'red').png().toBuffer(), session)).json().avatar_url;
    probe.app.clock.advance(60);
    const second = (await probe.upload(await plain(30, 30, 'blue').png().toBuffer(), session)).json().avatar_url;
    expect(second).not.toBe(first);
    expect((await probe.get(first)).statusCode).toBe(404);
    expect((await probe.get(second)).statusCode).toBe(200);
    const user = await probe.userOf(session.user_id);
    expect(second).toContain(user.avatar_id);
    expect(user.updated_at).toEqual(probe.app.clock.now());
    expect(await probe.rowsOf(session.user_id)).toHaveLength(1);
    const events = await probe.auditOf(session.user_id);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({
      action: 'user.updated',
      actor_id: session.user_id,
      organization_id: session.organization_id,
      resource_type: 'user',
      metadata: { fields: ['avatar'] },
      outcome: 'success',
    });
  });

  it('the same picture gets the same URL for the same user, and another URL for another user', async () => {
    const content = await plain(30, 30, 'green').png().toBuffer();
    const [one, other] = [await insertSession(probe.app), await insertSession(probe.app)];
    const first = (await probe.upload(content, one)).json().avatar_url;
    expect((await probe.upload(content, one)).json().avatar_url).toBe(first);
    const theirs = (await probe.upload(content, other)).json().avatar_url;
    expect(theirs).not.toBe(first);
    await probe.remove(one);
    expect((await probe.get(first)).statusCode).toBe(404);
    expect((await probe.get(theirs)).statusCode).toBe(200);
  });

  it('of 20 concurrent uploads of one user two are processed, and one picture is left', async () => {
    const session = await insertSession(probe.app);
    const pictures = await inColours(20);
    const release = await lockUserRow(probe.app, session.user_id);
    const uploads = pictures.map((content) => probe.upload(content, session));
    await untilBlocked(probe.app, 2);
    await release();
    const answers = await Promise.all(uploads);
    const refused = answers.filter(({ statusCode }) => statusCode !== 200);
    expect(refused).toHaveLength(18);
    for (const answer of refused) {
      expect(answer.statusCode).toBe(429);
      expect(answer.headers['retry-after']).toBe('1');
      expect(answer.json().error.code).toBe('rate_limited');
    }
    await expectOnePicture(session.user_id);
    expect((await probe.upload(pictures[0]!, session)).statusCode).toBe(200);
  });

  it('one picture is left after concurrent uploads through several replicas', async () => {
    const { session_id, user_id } = await insertSession(probe.app);
    const session = (await probe.app.deps.sessions.find(session_id))!;
    const pictures = await inColours(3);
    const release = await lockUserRow(probe.app, user_id);
    const writes = pictures.map((content) => storeAvatar(probe.app.deps, SYSTEM, session, content));
    await untilBlocked(probe.app, 3);
    await release();
    const addresses = (await Promise.all(writes)).map(({ avatar_url }) => avatar_url);
    expect(new Set(addresses).size).toBe(3);
    await expectOnePicture(user_id);
    expect(await probe.auditOf(user_id)).toHaveLength(3);
  });

  it('an upload gets 401 and stores no picture if the account was disabled after the sign-in', async () => {
    const session = await insertSession(probe.app);
    await probe.upload(await plain(9, 9).png().toBuffer(), session);
    await setUser(probe.app, session.user_id, { status: 'disabled' });
    const answer = await probe.upload(await plain(9, 9, 'red').png().toBuffer(), session);
    expect(answer.statusCode).toBe(401);
    await expectOnePicture(session.user_id);
  });

  async function expectOnePicture(user_id: string) {
    const rows = await probe.rowsOf(user_id);
    expect(rows).toHaveLength(1);
    expect((await probe.userOf(user_id)).avatar_id).toBe(rows[0]!.id);
  }
});

describe('DELETE /users/me/avatar', () => {
  it('removes the picture immediately, and returns 204 also without one', async () => {
    const session = await insertSession(probe.app);
    expect((await probe.remove(session)).statusCode).toBe(204);
    expect(await probe.auditOf(session.user_id)).toHaveLength(0);
    const { avatar_url } = (await probe.upload(await plain(30, 30).png().toBuffer(), session)).json();
    const answer = await probe.remove(session);
    expect([answer.statusCode, answer.body]).toEqual([204, '']);
    expect((await probe.get(avatar_url)).statusCode).toBe(404);
    expect((await probe.get(avatar_url, { 'if-none-match': '*' })).statusCode).toBe(404);
    expect(await probe.rowsOf(session.user_id)).toEqual([]);
    expect((await probe.userOf(session.user_id)).avatar_id).toBeNull();
    expect((await probe.remove(session)).statusCode).toBe(204);
    expect(await probe.auditOf(session.user_id)).toHaveLength(2);
  });
});

describe('GET /avatars/:file', () => {
  it('is public and immutable, and always returns an image', async () => {
    const { avatar_url } = (await probe.upload(await plain(30, 30).png().toBuffer())).json();
    const answer = await probe.get(avatar_url, { cookie: 'service_at=nonsense', authorization: 'Bearer nonsense' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-length': String(answer.rawPayload.length),
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
    const etag = String(answer.headers.etag);
    for (const given of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const same = await probe.get(avatar_url, { 'if-none-match': given });
      expect([same.statusCode, same.body, same.headers.etag]).toEqual([304, '', etag]);
      expect(same.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    }
    expect((await probe.get(avatar_url, { 'if-none-match': '"x"' })).statusCode).toBe(200);
    const head = await probe.app.server.inject({ method: 'HEAD', url: new URL(avatar_url).pathname });
    expect([head.statusCode, head.headers['content-type']]).toEqual([200, 'image/webp']);
  });

  it.each([
    `${'0'.repeat(64)}.webp`,
    `${'0'.repeat(64)}.png`,
    '0'.repeat(64),
    'x.webp',
    `${'A'.repeat(64)}.webp`,
    `..%2f${'0'.repeat(64)}.webp`,
    '%00.webp',
    "'%20or%201=1--.webp",
    'x'.repeat(500),
  ])('returns 404 as JSON for %s', async (file) => {
    const answer = await probe.app.server.inject(`/v1/avatars/${file}`);
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error.code).toBe('not_found');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('respects ROUTE_PREFIX', async () => {
    const other = await startTestApp({ environment: { ROUTE_PREFIX: '/api/id' } });
    try {
      const session = await insertSession(other);
      const { payload, headers } = form({ content: await plain(9, 9).png().toBuffer() });
      const answer = await other.server.inject({
        method: 'POST',
        url: '/api/id/users/me/avatar',
        payload,
        headers: { ...headers, ...bearer(session) },
      });
      const { pathname } = new URL(answer.json().avatar_url);
      expect(pathname).toMatch(/^\/api\/id\/avatars\//);
      expect((await other.server.inject(pathname)).statusCode).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('uploads over a real connection', () => {
  const send = async (body: FormData) => {
    const url = `http://127.0.0.1:${port}${URL_PATH}`;
    const answer = await fetch(url, { method: 'POST', body, headers: bearer(probe.me) });
    return { statusCode: answer.status, body: await answer.text() };
  };

  it('the form of a browser is accepted over a real connection', async () => {
    const body = new FormData();
    body.append('comment', 'hello');
    body.append('avatar', new Blob([await plain(50, 50).png().toBuffer()], { type: 'image/png' }), 'grüße "1".png');
    const answer = await send(body);
    expect(answer.statusCode).toBe(200);
  });

  it('a client that sends far too much still gets the error response', async () => {
    const body = new FormData();
    body.append('avatar', new Blob([Buffer.alloc(12_000_000)]), 'film.png');
    const answer = await send(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('avatar: must be at most 5242880 bytes');
  });

  /** Starts an upload without ending it. `leave` resolves when the server has noticed the disconnect. */
  const begin = async ({ access_token }: Session) => {
    const arriving = once(probe.app.server.server, 'request');
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      [
        `POST ${URL_PATH} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${access_token}`,
        'Content-Type: multipart/form-data; boundary=b',
        'Content-Length: 100000',
        '\r\n--b\r\n',
      ].join('\r\n'),
    );
    const [request] = (await arriving) as [IncomingMessage];
    return { leave: () => goAway(socket, request.socket) };
  };
  const goAway = (socket: Socket, seen: Socket) =>
    new Promise<unknown>((resolve) => {
      seen.once('close', resolve);
      socket.resetAndDestroy();
    });

  it('a user can have two of the 24 upload slots; a client that disconnects releases its slot', async () => {
    const content = await plain(9, 9).png().toBuffer();
    const statusFor = async (session: Session) => (await probe.upload(content, session)).statusCode;
    const users = await Promise.all(Array.from({ length: 12 }, () => insertSession(probe.app)));
    const [first, last] = [users[0]!, users[11]!];
    // The service caches these sessions, so that the guard of the upload answers without a query.
    for (const account of [...users, probe.me]) expect(await statusFor(account)).toBe(200);
    for (let round = 0; round < 2; round++) {
      const begun = [];
      for (const account of users) {
        expect(await statusFor(last)).toBe(200);
        begun.push(await begin(account), await begin(account));
        expect(await statusFor(account)).toBe(429);
      }
      expect(await statusFor(probe.me)).toBe(429);
      await begun[0]!.leave();
      expect(await statusFor(probe.me)).toBe(200);
      expect(await statusFor(first)).toBe(200);
      await Promise.all(begun.slice(1).map(({ leave }) => leave()));
    }
    for (const account of users) expect(await statusFor(account)).toBe(200);
  });

  it('no request in this file is logged as an error', () => {
    expect(probe.app.logs.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
