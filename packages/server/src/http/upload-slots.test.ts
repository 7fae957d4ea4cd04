import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerUser, type TestUser } from '../../test/browser.ts';
import { useTestApp } from '../../test/harness.ts';
import { untilBlocked } from '../../test/records.ts';

const app = useTestApp();
beforeAll(async () => {
  await app.server.listen({ port: 0, host: '127.0.0.1' });
});

function beginUpload({ access_token }: TestUser) {
  const { port } = app.server.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST /v1/users/me/avatar HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access_token}\r\n` +
      'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n',
  );
  return socket;
}

describe('the slot of an upload', () => {
  it('an upload slot is released when the client disconnects during the session lookup', async () => {
    const user = await registerUser(app);
    let release = () => {};
    const blocked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const locked = app.deps.db.transaction().execute(async (tx) => {
      await sql`lock table sessions in access exclusive mode`.execute(tx);
      await blocked;
    });
    await sleep(50);
    const sockets = [1, 2, 3, 4].map(() => beginUpload(user));
    await untilBlocked(app, 1);
    for (const socket of sockets) {
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    await sleep(50);
    release();
    await locked;
    const form = '--x\r\nContent-Disposition: form-data; name="avatar"; filename="a"\r\n\r\nno picture\r\n--x--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const answer = await user.browser.post('/users/me/avatar', form, { headers });
    expect(answer.status, answer.text).toBe(400);
  });

  it('an upload slot is released when the client pipelines another request first and disconnects before its response', async () => {
    const user = await registerUser(app);
    const { port } = app.server.server.address() as { port: number };
    expect((await user.browser.get('/auth/session')).status).toBe(200);
    const tx = await app.deps.db.startTransaction().execute();
    await sql`lock table users in access exclusive mode`.execute(tx);
    const authorization = `Host: x\r\nAuthorization: Bearer ${user.access_token}\r\n`;
    const sockets = [1, 2].map(() => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        `GET /v1/users/me HTTP/1.1\r\n${authorization}\r\n` +
          `POST /v1/users/me/avatar HTTP/1.1\r\n${authorization}` +
          'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n',
      );
      return socket;
    });
    await untilBlocked(app, 2);
    for (const socket of sockets) {
      socket.resetAndDestroy();
      await once(socket, 'close');
    }
    await tx.rollback().execute();
    const form = '--x\r\nContent-Disposition: form-data; name="avatar"; filename="a"\r\n\r\nno picture\r\n--x--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const upload = async () => (await user.browser.post('/users/me/avatar', form, { headers })).status;
    await expect.poll(upload).toBe(400);
  });
});
