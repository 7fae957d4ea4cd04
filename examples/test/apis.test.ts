import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as ask, createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, isSignedOut } from '@gatehouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newEmail, PASSWORD } from '../../packages/server/test/browser.ts';
import { useTestDatabase } from '../../packages/server/test/database.ts';
import { type LocalServer, startLocalServer } from '../../packages/server/test/in-process.ts';
import { freePort } from '../../packages/server/test/ports.ts';
import { INVALIDATED_WITHIN_MS } from '../../packages/server/test/timeouts.ts';
import { openMailFolder } from '../../packages/web/test/mails.ts';

const FEED = '/.well-known/service-revocations.json';
const KEYS = '/.well-known/jwks.json';

const OWNER = newEmail('platform');

const database = useTestDatabase();
let folder: string;
let service: LocalServer;
let proxy: HttpServer;
const asked: string[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gh-examples-'));
  service = await startLocalServer({ DATABASE_URL: database.url, DATA_DIR: folder, INITIAL_OWNER_EMAIL: OWNER });
  const owner = createClient({ base: `${service.url}/v1` });
  await owner.signIn.register({ email: OWNER, password: PASSWORD, organization_name: 'Platform' });
  await owner.permissions.save('notes.approve', { description: 'Approve notes' });
  proxy = createServer(({ url = '', method, headers }, response) => {
    asked.push(url);
    ask(service.url + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    }).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(async () => {
  proxy.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Arrived {
  readonly client: Client;
  readonly email: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly session_id: string;
}

async function arrive(): Promise<Arrived> {
  const client = createClient({ base: `${service.url}/v1` });
  const email = newEmail('notes');
  const { user } = await client.signIn.register({ email, password: PASSWORD, organization_name: 'Notes' });
  const { user_id, organization_id, session_family_id: session_id } = user;
  return { client, email, organization_id, user_id, session_id };
}

async function addMember({ client: inviter, organization_id }: Arrived): Promise<{ client: Client; user_id: string }> {
  const email = newEmail('colleague');
  await inviter.invitations.create(organization_id, { email, role: 'member' });
  const [, token = ''] = await openMailFolder({ folder }).find(email, /accept-invitation\?token=([\w-]+)/);
  const client = createClient({ base: `${service.url}/v1` });
  await client.signIn.acceptInvitation({ token, password: PASSWORD });
  return { client, user_id: (await client.session.current()).user.user_id };
}

describe.each(['fastify', 'express', 'hono'])('the API with %s', (kind) => {
  let api: string;
  let child: ChildProcess;
  /** The owner of the organization whose webhook the API receives. */
  let owner: Arrived;
  beforeAll(async () => {
    const port = await freePort();
    owner = await arrive();
    const url = `http://127.0.0.1:${port}/webhooks`;
    const webhook = await owner.client.webhooks.create(owner.organization_id, { url, events: ['member.removed'] });
    const { port: address } = proxy.address() as AddressInfo;
    const env = {
      PATH: process.env.PATH,
      ISSUER: service.url.replace('127.0.0.1', 'localhost'),
      SERVICE_ADDRESS: `http://127.0.0.1:${address}`,
      PORT: String(port),
      WEBHOOK_SECRETS: webhook.secret,
    };
    child = spawn(process.execPath, [join(import.meta.dirname, `../apis/${kind}.mjs`)], { env });
    const [line] = await Promise.race([once(child.stdout!, 'data'), once(child.stderr!, 'data')]);
    api = `http://127.0.0.1:${port}`;
    expect(String(line)).toContain(api);
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
  });

  const call = async (client: Client | undefined, method = 'GET', body?: object) => {
    const authorization = client && { authorization: `Bearer ${await client.accessToken()}` };
    return fetch(`${api}/notes`, {
      method,
      headers: { ...authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  };

  it('the API requires a session and shows only the notes of the organization of the session', async () => {
    const [ada, eve] = [await arrive(), await arrive()];
    expect((await call(undefined)).status).toBe(401);
    const made = await call(ada.client, 'POST', { text: 'Buy bread' });
    expect([made.status, await made.json()]).toEqual([
      201,
      { id: 1, text: 'Buy bread', by: ada.email, approved_by: null },
    ]);
    expect(await (await call(ada.client)).json()).toHaveLength(1);
    expect(await (await call(eve.client)).json()).toEqual([]);
  });

  it('the API requires a second factor to delete notes', async () => {
    const { client } = await arrive();
    const refused = await call(client, 'DELETE');
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: 'mfa_required' } }]);
  });

  it('the API requires notes.approve to approve a note, and applies a granted or revoked role within seconds', async () => {
    const { client, email, organization_id, user_id } = await arrive();
    const { id } = (await (await call(client, 'POST', { text: 'Buy bread' })).json()) as { id: number };
    const approve = (note = id) => client.fetch(`${api}/notes/${note}/approval`, { method: 'PUT' });
    const statusOfApproval = async () => (await approve()).status;
    const setRoles = (role_ids: string[]) => client.members.setRoles(organization_id, user_id, { role_ids });
    const role = await client.roles.create(organization_id, { name: 'Approver', permissions: ['notes.approve'] });
    expect(await statusOfApproval()).toBe(403);
    await setRoles([role.id]);
    await expect.poll(statusOfApproval, { interval: 50, timeout: INVALIDATED_WITHIN_MS }).toBe(200);
    expect(await (await approve()).json()).toMatchObject({ id, approved_by: email });
    expect((await approve(id + 1_000)).status).toBe(404);

    const token = await client.accessToken();
    await setRoles([]);
    await expect.poll(statusOfApproval, { interval: 50, timeout: INVALIDATED_WITHIN_MS }).toBe(403);
    const old = await fetch(`${api}/notes`, { headers: { authorization: `Bearer ${token}` } });
    expect([old.status, old.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="stale"',
    ]);
    // The session is the same: the user did not have to sign in again.
    expect((await call(client)).status).toBe(200);
  });

  it('the API deletes the notes of a member who was removed, and rejects webhooks that the service has not signed', async () => {
    const bob = await addMember(owner);
    expect((await call(owner.client, 'POST', { text: 'Of the owner' })).status).toBe(201);
    expect((await call(bob.client, 'POST', { text: 'Of the member' })).status).toBe(201);
    const forged = { type: 'member.removed', data: { ...owner, resource_id: bob.user_id, client: undefined } };
    const headers = {
      'content-type': 'application/json',
      'webhook-id': 'forged',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,${'A'.repeat(43)}=`,
    };
    const rejected = await fetch(`${api}/webhooks`, { method: 'POST', headers, body: JSON.stringify(forged) });
    expect(rejected.status).toBe(401);
    expect((await fetch(`${api}/webhooks`, { method: 'POST' })).status).toBe(401);
    const texts = async () => ((await (await call(owner.client)).json()) as { text: string }[]).map(({ text }) => text);
    expect(await texts()).toEqual(['Of the owner', 'Of the member']);

    await owner.client.members.remove(owner.organization_id, bob.user_id);
    await expect.poll(texts, { interval: 50 }).toEqual(['Of the owner']);
  });

  it('the API verifies tokens without a request to the service, and rejects a session that the revocation feed lists', async () => {
    const { client, email, session_id } = await arrive();
    const token = await client.accessToken();
    const status = async () => (await fetch(`${api}/notes`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await status()).toBe(200);
    const before = asked.length;
    for (let times = 0; times < 50; times++) expect(await status()).toBe(200);
    // Requests are sent by timer only: for the feed, and less often for the keys.
    const polls = asked.slice(before);
    expect(polls.map((path) => path.split('?')[0]).filter((path) => path !== FEED && path !== KEYS)).toEqual([]);
    expect(polls.length).toBeLessThan(40);

    // The user ends the session from another device.
    const other = createClient({ base: `${service.url}/v1` });
    await other.signIn.withPassword({ email, password: PASSWORD });
    await other.session.end(session_id);
    await expect.poll(status, { interval: 50, timeout: INVALIDATED_WITHIN_MS }).toBe(401);
    await expect(client.session.current()).rejects.toSatisfy(isSignedOut);
    expect((await call(other)).status).toBe(200);
  });
});
