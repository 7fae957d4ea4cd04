import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NIL_UUID } from '@gatehouse/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { newEmail } from '../../packages/server/test/browser.ts';
import { isFull, rounds } from '../effort.ts';
import { cases } from '../ledger.ts';
import { ask, bearerOf } from './ask-fixture.ts';
import { drip, type Limit, plantFlags, SLOW_CLIENTS, type SlowClient } from './clients-fixture.ts';
import { type Account, type Service, startService } from './service-fixture.ts';
import { answersIn, openLine, rawFault } from './sockets-fixture.ts';

/** Divides the time limits: 1 in the full form; a test run measures no times and uses a fraction of the limits. */
const HASTE = isFull ? 1 : 20;
const LIMITS_MS: Readonly<Record<Limit, number>> = { headers: 15_000, request: 30_000, idle: 72_000, stuck: 60_000 };
/** Periods until the close: a client that has read something during the first one is checked again after the next. */
const CHECKS: Readonly<Record<Limit, number>> = { headers: 1, request: 1, idle: 1, stuck: 2 };
/** Connections are checked every five seconds, on a machine that may be busy. */
const SLACK_MS = 15_000;

let service: Service;
let user: Account;
beforeAll(async () => {
  const haste = `--import=${join(import.meta.dirname, 'haste.mjs')}`;
  service = await startService(1, { NODE_OPTIONS: haste, HASTE: String(HASTE) });
  user = await service.insertUser();
  await plantFlags(service.database, 2);
});
afterAll(async () => {
  await service.close();
});

const url = (): string => service.url();

/** Sends requests of another user during `work`. Returns the first failure. */
async function meanwhile(work: () => Promise<void>): Promise<string | undefined> {
  let isOver = false;
  let seen: string | undefined;
  const others = (async () => {
    while (!isOver && seen === undefined) {
      const answer = await ask(url(), { method: 'GET', path: '/v1/auth/session', headers: bearerOf(user) });
      if (answer.status !== 200) seen = `another client got ${answer.status} ${answer.text}`;
      await sleep(20);
    }
  })();
  await work().finally(() => {
    isOver = true;
    return others;
  });
  return seen ?? service.complaint();
}

/** Waits until the service closes the connection, and checks the time and the responses. */
async function waitOut({ limit, says, drips, deaf, answers: expected = 0 }: SlowClient): Promise<string | undefined> {
  const line = await openLine(url());
  const start = performance.now();
  if (deaf) line.socket.pause();
  line.socket.write(says(user));
  if (drips !== undefined) drip(line, drips, 200);
  if (deaf) {
    // A client that does not read notices only when it writes that the connection was closed.
    drip(line, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 100);
    await line.closed;
  } else {
    const answers = answersIn(await line.closed);
    const fault = answers.map(rawFault).find(Boolean);
    if (fault !== undefined) return fault;
    const before = answers.filter(({ status }) => status !== 400);
    if (before.length !== expected || answers.length > expected + 1)
      return `answered ${answers.map(({ status }) => status)}`;
  }
  const took = performance.now() - start;
  const isInTime = took > LIMITS_MS[limit] * 0.9 && took < LIMITS_MS[limit] * CHECKS[limit] + SLACK_MS;
  return !isFull || isInTime ? undefined : `it took ${Math.round(took)} ms`;
}

cases('slow clients are disconnected, and other clients are served', async (ledger) => {
  const seen = await meanwhile(async () => {
    await Promise.all(SLOW_CLIENTS.map((client) => ledger.attempt(client.name, () => waitOut(client))));
  });
  ledger.enter('other clients are served meanwhile', seen);
});

cases('hundreds of silent connections delay no other client and are all closed', async (ledger) => {
  const seen = await meanwhile(async () => {
    const lines = await Promise.all(Array.from({ length: rounds(200, 2_000) }, () => openLine(url())));
    // The kernel silently drops connections that do not fit into the accept queue. Keep-alive probes detect this.
    for (const { socket } of lines) socket.setKeepAlive(true, 1_000);
    for (const [index, { closed }] of lines.entries()) {
      await ledger.attempt(`number ${index}`, async () =>
        answersIn(await closed)
          .map(rawFault)
          .find(Boolean),
      );
    }
  });
  ledger.enter('other clients are served meanwhile', seen);
});

const LEAVING = ['end', 'destroy', 'resetAndDestroy'] as const;

cases(
  'a client that disconnects during a request leaves no partial changes',
  async (ledger) => {
    const registrations: string[] = [];
    const times = rounds(24, 600);
    const seen = await meanwhile(async () => {
      for (let index = 0; index < times; index++) {
        const email = newEmail('leaving');
        registrations.push(email);
        const body = JSON.stringify({ email, password: 'correct horse battery staple', organization_name: 'Leaving' });
        const head = `POST /v1/auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
        const isWhole = index % 2 === 0;
        const line = await openLine(url());
        // A complete request may or may not be executed; an incomplete one never is.
        line.socket.write(head + (isWhole ? body : body.slice(0, -1 - (index % 40))));
        if (isWhole) await sleep(index % 30);
        line.socket[LEAVING[index % LEAVING.length]!]();
        await line.closed;
      }
      await untilQuiet();
    });
    ledger.enter('other clients are served meanwhile', seen);
    for (const [index, email] of registrations.entries()) {
      await ledger.attempt(`registration ${index}`, async () => {
        const rows = await rowsOf(email);
        if (rows.every((count) => count === 0)) return undefined;
        if (index % 2 === 1) return 'half of a request was done';
        return rows.every((count) => count === 1) ? undefined : `it is half done: ${rows}`;
      });
    }
  },
  240_000,
);

async function rowsOf(email: string): Promise<number[]> {
  const { db } = service.database;
  const user = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  if (!user) return [0];
  const memberships = await db
    .selectFrom('memberships')
    .select('organization_id')
    .where('user_id', '=', user.id)
    .execute();
  const organizations = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', 'in', [...memberships.map(({ organization_id }) => organization_id), NIL_UUID])
    .execute();
  const sessions = await db.selectFrom('sessions').select('id').where('user_id', '=', user.id).execute();
  const events = await db
    .selectFrom('audit_events')
    .select('id')
    .where('actor_id', '=', user.id)
    .where('action', '=', 'auth.register')
    .execute();
  return [1, memberships.length, organizations.length, sessions.length, events.length];
}

async function untilQuiet(): Promise<void> {
  const busy = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`.execute(service.database.db);
    return rows[0]!.count;
  };
  // The check is repeated, because there is a gap between two statements of a request.
  for (let quiet = 0; quiet < 5; quiet = (await busy()) === 0 ? quiet + 1 : 0) await sleep(20);
}

const PIPELINED = 16;

cases('pipelined requests are answered in order', async (ledger) => {
  for (let round = 0; round < rounds(3, 50); round++) {
    const ids = Array.from({ length: PIPELINED }, () => randomUUID());
    const line = await openLine(url());
    const asked = ids.map((id, index) => {
      const close = index === ids.length - 1 ? 'Connection: close\r\n' : '';
      const head = `Host: x\r\nX-Request-Id: ${id}\r\n${close}`;
      return index % 3 === 0
        ? `POST /v1/auth/login HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`
        : `GET /v1/auth/session HTTP/1.1\r\n${head}\r\n`;
    });
    line.socket.write(asked.join(''));
    const answers = answersIn(await line.closed);
    for (const [index, id] of ids.entries()) {
      const answer = answers[index];
      const expected = index % 3 === 0 ? 400 : 401;
      const isRight = answer?.status === expected && answer.headers.get('x-request-id') === id;
      ledger.enter(`request ${index}`, isRight ? undefined : `answered ${answer?.status}`);
    }
    ledger.enter(
      'there are no other responses',
      answers.length === PIPELINED ? undefined : `${answers.length} answers`,
    );
  }
});

cases('upload slots of clients that disconnect are released', async (ledger) => {
  const head = `POST /v1/users/me/avatar HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.access_token}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 4000\r\n\r\n`;
  for (let round = 0; round < rounds(6, 60); round++) {
    const line = await openLine(url());
    line.socket.write(`${head}--x\r\n`);
    line.socket[LEAVING[round % LEAVING.length]!]();
    await line.closed;
  }
  await ledger.attempt('the next picture is decoded', async () => {
    const headers = { ...bearerOf(user), 'content-type': 'multipart/form-data; boundary=x' };
    for (;;) {
      const { status, text } = await ask(url(), {
        method: 'POST',
        path: '/v1/users/me/avatar',
        headers,
        body: '--x--',
      });
      // The response is 429 until the server has noticed the last disconnect.
      if (status !== 429) return status === 400 ? undefined : `${status} ${text}`;
      await sleep(20);
    }
  });
  ledger.enter('the server has not failed', service.complaint());
});
