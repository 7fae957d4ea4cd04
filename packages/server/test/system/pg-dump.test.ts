import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../src/features/webhooks/receiver-fixture.ts';
import { type Browser, createBrowser, refreshWith, registerUser } from '../browser.ts';
import { asAdmin, createTestDatabase } from '../database.ts';
import { SECRET } from '../postgres.ts';
import { type Server, startServer } from '../process.ts';
import { challenge, enrolNew, halfSignIn } from '../second-factor.ts';
import { findSystemPostgres } from '../system-postgres.ts';
import { TIMEOUT_MS } from '../timeouts.ts';

const root = join(import.meta.dirname, '../../../..');
const chapter = readFileSync(join(root, 'docs/backups.md'), 'utf8').split('\n## pg_dump')[1]!.split('\n## ')[0]!;
const [dump, restore, endSessions] = [...chapter.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1]!);

const folder = mkdtempSync(join(tmpdir(), 'gh-dump-'));
const servers: Server[] = [];
const RESTORED = `restored_${process.pid}`;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await Promise.all(servers.map((server) => server.stop()));
  await asAdmin(`drop database if exists ${RESTORED} with (force)`);
  rmSync(folder, { recursive: true, force: true });
});

async function start(DATABASE_URL: string): Promise<Server> {
  const server = await startServer({ cwd: folder, env: { DATABASE_URL, PUBLIC_BASE_URL: 'http://localhost:8080' } });
  servers.push(server);
  return server;
}

/** All events of the organization, and the cursor after them. */
async function readEvents(browser: Browser, organization: string, after?: string) {
  const { status, json } = await browser.get(`${organization}/events?limit=1000${after ? `&after=${after}` : ''}`);
  const items = (json.items ?? []) as { data: { event_id: string } }[];
  return { status, ids: items.map(({ data }) => data.event_id), next: json.next as string };
}

/** The ids of the roles whose creation the receiver of the webhook has received. */
const receivedRoles = () => new Set(receiver.received.map(({ event }) => event.data.resource_id));
const soon = { timeout: TIMEOUT_MS };

it('docs/backups.md: the pg_dump commands work as pasted; users stay signed in until their sessions are ended, and events go on', async () => {
  const database = await createTestDatabase();
  const restored_url = database.plain_url.replace(database.name, RESTORED);
  const env = {
    PATH: `${findSystemPostgres()}:${process.env.PATH}`,
    DATABASE_URL: database.plain_url,
    RESTORED_URL: restored_url,
    JWT_SECRET: SECRET,
    PUBLIC_BASE_URL: 'http://localhost:8080',
  };
  const bash = async (script: string) => {
    const main = `'${process.execPath}' '${join(root, 'packages/server/dist/main.mjs')}'`;
    const here = script.replaceAll('npx gatehouse', main).replaceAll('gatehouse_restored', RESTORED);
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here], { cwd: folder, env });
  };
  const { url } = await start(database.plain_url);
  const [user, enrolled] = [await registerUser(url), await enrolNew(url)];
  const { email, password, browser } = user;
  const organization = `/orgs/${user.organization_id}`;
  const createRole = async (as: Browser, name: string): Promise<string> =>
    (await as.post(`${organization}/roles`, { name })).json.id;
  receiver.answer = 503;
  const webhook = await browser.post(`${organization}/webhooks`, { url: receiver.url, events: ['role.created'] });
  const deliveries = `${organization}/webhooks/${webhook.json.id}/deliveries`;
  const before = await createRole(browser, 'Before the dump');
  await expect.poll(receivedRoles, soon).toEqual(new Set([before]));
  const [pending] = (await browser.get(deliveries)).json.items;
  const events = await readEvents(browser, organization);
  await bash(dump!);
  // This user is registered after the dump.
  const late = await registerUser(url);
  await servers[0]!.stop();
  receiver.received.length = 0;
  receiver.answer = 200;
  await bash(restore!);

  const restored = await start(restored_url);
  const login = (who: { email: string; password: string }) =>
    createBrowser(restored.url).post('/auth/login', { email: who.email, password: who.password });
  expect((await login({ email, password })).status).toBe(200);
  expect((await login(late)).status).toBe(401);
  const byApp = { code: enrolled.app.code() };
  expect((await challenge(restored.url, await halfSignIn(restored.url, enrolled), byApp)).status).toBe(200);
  const refreshed = await refreshWith(restored.url, browser.jar.get('service_rt')!);
  expect(refreshed.status, refreshed.text).toBe(200);

  // The delivery that was pending in the dump can be sent, the webhook gets new events, and the stream begins with the
  // old rows.
  const owner = createBrowser(restored.url);
  await owner.post('/auth/login', { email, password });
  expect((await readEvents(owner, organization, events.next)).status).toBe(400);
  expect((await owner.post(`${deliveries}/${pending.id}/retry`)).status).toBe(202);
  const after = await createRole(owner, 'After the restore');
  await expect.poll(receivedRoles, soon).toEqual(new Set([before, after]));
  const { ids } = await readEvents(owner, organization);
  expect(ids.slice(0, events.ids.length)).toEqual(events.ids);
  const sent = receiver.received.map(({ event }) => event.data.event_id);
  expect(ids).toEqual(expect.arrayContaining(sent));
  expect(new Set(ids).size).toBe(ids.length);

  await restored.stop();
  await bash(endSessions!);
  const ended = await start(restored_url);
  expect((await refreshWith(ended.url, enrolled.browser.jar.get('service_rt')!)).status).toBe(401);
  expect((await createBrowser(ended.url).post('/auth/login', { email, password })).status).toBe(200);
  await database.close();
});
