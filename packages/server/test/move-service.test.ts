import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NEW_KEY, OLD_KEY } from '../src/domain/provider-settings/rows-fixture.ts';
import { beginSigningIn, type Keyholder, withPasskey } from './authenticator.ts';
import {
  bearer,
  createBrowser,
  newEmail,
  PASSWORD,
  refreshTokenIn,
  refreshWith,
  registerUser,
  signInAgain,
} from './browser.ts';
import { examineHere } from './command-here.ts';
import { useTestDatabase } from './database.ts';
import { type LocalServer, startLocalServer } from './in-process.ts';
import { type Finished, runCommand, type Server, startServer } from './process.ts';
import { isSignedIn } from './replicas.ts';
import { challenge, type Enrolled, enrol, enrolNew, halfSignIn } from './second-factor.ts';
import { TIMEOUT_MS } from './timeouts.ts';

const PASSPHRASE = 'four words that nobody says';
const BOSS = newEmail('boss');
const BASE = { INITIAL_OWNER_EMAIL: BOSS, PUBLIC_BASE_URL: 'http://localhost:8080' };
const OLD = { ...BASE, JWT_SECRET: 'the secret of the old service, long enough', CONFIG_ENCRYPTION_KEY: OLD_KEY };

const folder = mkdtempSync(join(tmpdir(), 'gh-move-'));
/** The folder of the new service. */
const fresh = mkdtempSync(join(tmpdir(), 'gh-move-'));
const database = useTestDatabase({ empty: true });
const servers: Server[] = [];
/** The settings of the new service, which creates its own JWT_SECRET at its first start. */
const newPlace = () => ({
  cwd: fresh,
  env: { ...BASE, JWT_SECRET: undefined, CONFIG_ENCRYPTION_KEY: NEW_KEY, DATABASE_URL: database.url },
});
let before: Awaited<ReturnType<typeof fill>>;
let exported: Finished;
let imported: Finished;
let newSecret: string;
let moved: LocalServer;
let url: string;

beforeAll(async () => {
  const start = async (place: Parameters<typeof startServer>[0]) => {
    const server = await startServer(place);
    servers.push(server);
    return server;
  };
  const place = { cwd: folder, env: OLD };
  const old = await start(place);
  before = await fill(old.url);
  writeFileSync(join(folder, 'passphrase'), `${PASSPHRASE}\n`, { mode: 0o600 });
  exported = await runCommand(['export', 'moving', '--passphrase-file', 'passphrase'], place);
  expect(exported.code, exported.stderr).toBe(0);
  await old.stop();
  await (await start(newPlace())).stop();
  newSecret = /^JWT_SECRET=(.+)$/m.exec(readFileSync(join(fresh, '.env'), 'utf8'))![1]!;
  const args = ['import', join(folder, 'moving'), '--passphrase-file', join(folder, 'passphrase')];
  imported = await runCommand(args, newPlace());
  expect(imported.code, imported.stderr).toBe(0);
  const env = { ...BASE, CONFIG_ENCRYPTION_KEY: NEW_KEY, DATABASE_URL: database.url, DATA_DIR: join(fresh, 'data') };
  moved = await startLocalServer({ ...env, JWT_SECRET: newSecret });
  url = moved.url;
});
afterAll(async () => {
  await moved.stop();
  await Promise.all(servers.map((server) => server.stop()));
  for (const path of [folder, fresh]) rmSync(path, { recursive: true, force: true });
});

async function fill(at: string) {
  const admin = await enrol(at, await registerUser(at, { email: BOSS }));
  const [account, enrolled, keyholder] = [await registerUser(at), await enrolNew(at), await withPasskey(at)];
  const asAdmin = bearer(admin.verified_token);
  const put = async (path: string, body: object) => {
    const { status, text } = await admin.browser.send('PUT', path, { ...asAdmin, body });
    expect(status, text).toBe(200);
  };
  await put('/admin/integrations/oauth_a', { enabled: true, public_config: { client_id: 'a' }, secret: 'very-secret' });
  await put('/admin/feature-flags', { flag_key: 'beta', enabled: true, value: { limit: 5 } });
  const { organization_id } = account;
  await put('/admin/feature-flags', { flag_key: 'beta', organization_id, enabled: false });
  return {
    admin,
    account,
    enrolled,
    keyholder,
    avatar: await draw(at, account.access_token),
    invitation: await invite(account.browser, organization_id),
    trusted: await trust(enrolled),
    google: await googleOf(at, admin.verified_token),
    flags: (await account.browser.get('/feature-flags')).json,
    trail: await trailOf(at, admin.verified_token),
  };
}

async function draw(at: string, token: string): Promise<{ path: string; bytes: Buffer }> {
  const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const body = new FormData();
  body.set('avatar', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'me.png');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${at}/v1/users/me/avatar`, { method: 'POST', headers, body });
  const path = new URL(((await answer.json()) as { avatar_url: string }).avatar_url).pathname;
  return { path, bytes: await fetchBytes(at + path) };
}

const fetchBytes = async (address: string) => Buffer.from(await (await fetch(address)).arrayBuffer());

async function invite(browser: Enrolled['browser'], organization_id: string) {
  const email = newEmail('invited');
  expect((await browser.post(`/orgs/${organization_id}/invitations`, { email, role: 'admin' })).status).toBe(201);
  const mails = () =>
    readdirSync(join(folder, 'data/mail'))
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, 'data/mail', name), 'utf8')) as { to: string; text: string });
  const found = () =>
    mails().flatMap(({ to, text }) =>
      to === email ? (/accept-invitation\?token=([\w-]+)/.exec(text)?.[1] ?? []) : [],
    );
  return { email, token: await vi.waitFor(() => found()[0] ?? Promise.reject(), { timeout: TIMEOUT_MS }) };
}

async function trust({ browser }: Enrolled): Promise<string> {
  expect((await browser.post('/auth/trusted-browsers', {})).status).toBe(201);
  return browser.jar.get('service_trust')!;
}

const trailOf = async (at: string, token: string) =>
  (await createBrowser(at).get('/audit-logs?page_size=100', bearer(token))).json.items as { id: number }[];

interface Integration {
  readonly provider: string;
  readonly key_id: string;
}

async function googleOf(at: string, token: string): Promise<Integration> {
  const { providers } = (await createBrowser(at).get('/admin/integrations', bearer(token))).json;
  return providers.find(({ provider }: Integration) => provider === 'oauth_a');
}

const signInByPasskey = async ({ device }: Keyholder) =>
  createBrowser(url).post('/auth/passkey/login/complete', { credential: device.get(await beginSigningIn(url)) });

describe('a service that was moved from the embedded database to a server, where it was started once with other secrets', () => {
  it('the commands print what was moved and what was not, but no secret', () => {
    for (const { stdout, stderr } of [exported, imported]) {
      expect(stdout).toMatch(/^ {2}users +4$/m);
      expect(stdout).toContain(
        'sessions (4), refresh_uses (0), revocations (0), refreshes (0), application_grants (0): all users sign in again',
      );
      for (const secret of [PASSPHRASE, 'very-secret', OLD.JWT_SECRET, newSecret]) {
        expect(stdout + stderr).not.toContain(secret);
      }
    }
    expect(imported.stderr).toMatch(/^users +█+ 100 % {2}4 of 4$/m);
    expect(imported.stdout).not.toContain('Passkeys are bound to');
    expect(imported.stdout).toContain('2 rows from the start of this service now follow the imported ones');
  });

  it('the moved service does not accept sessions of the old service', async () => {
    const { account } = before;
    expect(await isSignedIn(url, account.access_token)).toBe(false);
    expect((await refreshWith(url, account.browser.jar.get('service_rt')!)).status).toBe(401);
  });

  it('users sign in with a password and, after it, a TOTP or recovery code', async () => {
    const { account, enrolled } = before;
    const login = await createBrowser(url).post('/auth/login', { email: account.email, password: account.password });
    expect(login.json).toMatchObject({ status: 'success', user: { organization_id: account.organization_id } });
    expect(refreshTokenIn(login)).toBeDefined();
    const byApp = await challenge(url, await halfSignIn(url, enrolled), { code: enrolled.app.code() });
    expect(byApp.status, byApp.text).toBe(200);
    const [recovery_code] = enrolled.recovery_codes;
    const byCode = async () => (await challenge(url, await halfSignIn(url, enrolled), { recovery_code })).status;
    expect([await byCode(), await byCode()]).toEqual([200, 401]);
  });

  it('users sign in with passkeys, and trusted browsers are still trusted', async () => {
    const { keyholder, enrolled, trusted } = before;
    const answer = await signInByPasskey(keyholder);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.user.user_id).toBe(keyholder.user_id);
    const { email, password } = enrolled;
    const browser = createBrowser(url, new Map([['service_trust', trusted]]));
    expect((await browser.post('/auth/login', { email, password })).json.status).toBe('success');
  });

  it('the moved service decrypts provider secrets; keeps flags, roles and the audit trail; serves avatars', async () => {
    const { admin, account, avatar } = before;
    const token = (await challenge(url, await halfSignIn(url, admin), { code: admin.app.code() })).json.access_token;
    const google = await googleOf(url, token);
    expect(google).toMatchObject({ enabled: true, degraded: false });
    expect(google).toEqual({ ...before.google, key_id: google.key_id });
    expect(google.key_id).not.toBe(before.google.key_id);
    const browser = await signInAgain(url, account);
    expect((await browser.get('/feature-flags')).json).toEqual(before.flags);
    expect(await fetchBytes(url + avatar.path)).toEqual(avatar.bytes);
    const list = await createBrowser(url).get(`/admin/users?q=${encodeURIComponent(account.email)}`, bearer(token));
    expect(list.json).toMatchObject({ total: 1, items: [{ id: account.user_id }] });

    const last = before.trail[0]!.id;
    const trail = await trailOf(url, token);
    expect(trail.filter(({ id }) => id <= last)).toEqual(before.trail);
    expect(trail.find(({ id }) => id === last + 1)).toMatchObject({ action: 'signing_key.created' });
  });

  it('an invitation mailed by the old service is accepted', async () => {
    const { token, email } = before.invitation;
    const answer = await createBrowser(url).post('/auth/invitations/accept', { token, password: PASSWORD });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.user).toMatchObject({ email, organization_id: before.account.organization_id });
  });

  it('the doctor reports no problem with the secrets of the moved service', async () => {
    const find = await examineHere(newPlace());
    const checks = ['second factors', 'configuration key', 'providers', 'platform owner'];
    expect(checks.map((check) => find(check)?.status)).toEqual(checks.map(() => 'ok'));
  });
});
