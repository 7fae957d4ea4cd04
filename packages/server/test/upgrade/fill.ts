import sharp from 'sharp';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import { rotateSigningKey } from '../../src/domain/endings/ensure-key.ts';
import { FIREBASE, firebaseHash } from '../../src/domain/passwords/hashes/hashes-fixture.ts';
import { OLD_KEY } from '../../src/domain/provider-settings/rows-fixture.ts';
import { importFile, openFiles } from '../../src/domain/user-import/import-fixture.ts';
import { signInWith } from '../../src/features/social/oauth-fixture.ts';
import { addPasskey, beginSigningIn, createAuthenticator } from '../authenticator.ts';
import { bearer, claimsOf, createBrowser, PASSWORD, registerUser, signInAgain, type TestUser } from '../browser.ts';
import type { FakeProvider } from '../fake-providers/types.ts';
import { startTestApp, type TestApp } from '../harness.ts';
import { challenge, createAuthenticatorApp, halfSignIn } from '../second-factor.ts';

export const SETTINGS = {
  JWT_SECRET: 'a secret of the releases that are kept, for tests alone',
  CONFIG_ENCRYPTION_KEY: OLD_KEY,
  AUDIT_EXPORT_KEY: 'a key of the releases that are kept',
  TIER: 'premium',
  PUBLIC_BASE_URL: 'http://localhost:8080',
  INITIAL_OWNER_EMAIL: 'owner@example.com',
};
export const BEGIN = new Date('2026-09-20T10:00:00.000Z');
const DAY_SECONDS = 86_400;

const known = ({ email, password, user_id, organization_id, session_id, access_token, browser }: TestUser) => ({
  email,
  password,
  user_id,
  organization_id,
  session_id,
  access_token,
  refresh_token: browser.jar.get('service_rt')!,
  csrf_token: browser.jar.get('service_csrf')!,
});

const expects = async (asked: Promise<{ status: number; text: string }>, status: number) => {
  const answer = await asked;
  expect(answer.status, answer.text).toBe(status);
};

async function enrol(app: TestApp, account: TestUser) {
  const { secret } = (await account.browser.post('/auth/mfa/setup')).json;
  const code = createAuthenticatorApp(app, secret).code(-1);
  const { json } = await account.browser.post('/auth/mfa/enable', { code });
  return { ...account, secret: secret as string, recovery_codes: json.recovery_codes as string[] };
}

/** Signs in with password and TOTP code, 30 seconds after the last code. */
async function signInByApp(app: TestApp, account: TestUser & { secret: string }) {
  app.clock.advance(30);
  const code = createAuthenticatorApp(app, account.secret).code();
  const { status, text, json } = await challenge(app, await halfSignIn(app, account), { code });
  expect(status, text).toBe(200);
  return json.access_token as string;
}

const advanceDays = async (app: TestApp, days: number) => {
  app.clock.advance(days * DAY_SECONDS);
  await app.sweeper.pass();
};

const registerNamed = (app: TestApp, name: string) =>
  registerUser(app, {
    email: `${name}@example.com`,
    organization_name: `Organization of ${name}`,
    display_name: name,
  });

/** Fills every table with two months of use, through the API if possible. Returns all credentials. */
export async function fill(app: TestApp, github: FakeProvider) {
  const owner = await enrol(app, await registerNamed(app, 'owner'));
  const plain = await registerNamed(app, 'plain');
  const app_holder = await enrol(app, await registerNamed(app, 'app-holder'));
  const keyholder = await registerNamed(app, 'keyholder');
  const [disabled, deleted] = [await registerNamed(app, 'disabled'), await registerNamed(app, 'deleted')];
  await importUser(app);

  await advanceDays(app, 20);
  const asOwner = bearer(await signInByApp(app, owner));
  const put = (path: string, body: object) => expects(createBrowser(app).send('PUT', path, { ...asOwner, body }), 200);
  await put('/admin/feature-flags', { flag_key: 'beta', enabled: true, value: { limit: 5 } });
  await put('/admin/feature-flags', { flag_key: 'beta', organization_id: plain.organization_id, enabled: false });
  await put('/admin/integrations/oauth_b', { enabled: true, ...github.settings });
  await put('/admin/integrations/oauth_a', {
    enabled: false,
    public_config: { client_id: 'a' },
    secret: 'hush-hush-hush',
  });
  await expects(createBrowser(app).patch(`/admin/users/${disabled.user_id}`, { status: 'disabled' }, asOwner), 200);
  await expects(createBrowser(app).delete(`/admin/users/${deleted.user_id}`, asOwner), 204);
  await expects(createBrowser(app).post('/auth/login', { email: plain.email, password: 'not the right one' }), 401);

  await advanceDays(app, 31);
  const linked = await signInWith(app, github);
  expect(linked.status, linked.text).toBe(200);
  return {
    ...(await finish(app, { owner, plain, app_holder, keyholder })),
    linked: { subject: github.person.subject, user_id: linked.json.user.user_id as string },
    provider_secrets: { oauth_a: 'hush-hush-hush', oauth_b: github.settings.secret },
    firebase: { email: 'firebase@example.com', password: FIREBASE.password },
    disabled: { email: disabled.email, password: PASSWORD, user_id: disabled.user_id },
    deleted: { email: deleted.email, password: PASSWORD, user_id: deleted.user_id },
  };
}

type Enrolled = Awaited<ReturnType<typeof enrol>>;

/** Uses the service on the last day, so that short-lived rows are still valid. */
async function finish(
  app: TestApp,
  accounts: { owner: Enrolled; plain: TestUser; app_holder: Enrolled; keyholder: TestUser },
) {
  const { owner, app_holder } = accounts;
  const plain = await again(app, accounts.plain);
  const keyholder = await again(app, accounts.keyholder);
  const device = createAuthenticator({ credential_id: Buffer.from('a passkey of the frozen') });
  await expects(addPasskey(keyholder.browser, device), 201);
  const given = device.get(await beginSigningIn(app));
  await expects(createBrowser(app).post('/auth/passkey/login/complete', { credential: given }), 200);

  const avatar = await draw(app, plain);
  await insertInternalRows(app);
  const leaving = await signInAgain(app, accounts.plain);
  await expects(leaving.post('/auth/refresh'), 200);
  await expects(leaving.post('/auth/logout'), 204);

  const verified = createBrowser(app);
  app.clock.advance(30);
  const code = createAuthenticatorApp(app, app_holder.secret).code();
  await expects(verified.post('/auth/mfa/challenge', { mfa_token: await halfSignIn(app, app_holder), code }), 200);
  await expects(verified.post('/auth/trusted-browsers', {}), 201);
  await halfSignIn(app, app_holder);

  await rotateSigningKey(app.deps);
  const invited = 'invited@example.com';
  const path = `/orgs/${plain.organization_id}/invitations`;
  await expects(plain.browser.post(path, { email: invited, role: 'admin' }), 201);
  await app.mailbox.settle();
  await expects(createBrowser(app).post('/auth/email-otp/request', { email: keyholder.email }), 204);
  const login_code = await app.mailbox.takeCode(keyholder.email);
  return {
    plain: { ...known(plain), avatar },
    owner: { ...known(owner), totp_secret: owner.secret, recovery_codes: owner.recovery_codes },
    app_holder: {
      ...known(app_holder),
      totp_secret: app_holder.secret,
      recovery_codes: app_holder.recovery_codes,
      trust: verified.jar.get('service_trust')!,
    },
    keyholder: {
      ...known(keyholder),
      login_code,
      credential_id: device.id,
      counter: device.counter,
      user_handle: given.response.userHandle as string,
      private_key: device.private_key.export({ type: 'pkcs8', format: 'pem' }) as string,
    },
    invitation: { email: invited, token: await app.mailbox.takeToken(invited, 'accept-invitation') },
  };
}

async function again(app: TestApp, account: TestUser): Promise<TestUser> {
  const browser = await signInAgain(app, account);
  const access_token = browser.jar.get('service_at')!;
  return { ...account, browser, access_token, session_id: claimsOf(access_token).sid };
}

async function draw(app: TestApp, { access_token }: TestUser): Promise<{ path: string; bytes: string }> {
  const background = 'teal';
  const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.set('avatar', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'me.png');
  const body = new Response(form);
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': body.headers.get('content-type')! };
  const payload = Buffer.from(await body.arrayBuffer());
  const answer = await app.server.inject({ method: 'POST', url: '/v1/users/me/avatar', headers, payload });
  const path = new URL(answer.json().avatar_url).pathname;
  return { path, bytes: (await app.server.inject(path)).rawPayload.toString('base64') };
}

/** Inserts rows of replicas and commands, which depend on the real time and not on the test clock. */
async function insertInternalRows({ deps: { db }, clock }: TestApp): Promise<void> {
  const at = clock.now();
  const lines = { export_id: uuid(), file: 'users.ndjson', lines: 0, finished_at: at };
  await db.insertInto('imports').values(lines).execute();
  await db.insertInto('turns').values({ name: 'sweep', taken_until: at }).execute();
}

async function importUser(app: TestApp): Promise<void> {
  const files = openFiles();
  const users = [
    {
      localId: 'a',
      email: 'firebase@example.com',
      emailVerified: true,
      ...firebaseHash(FIREBASE.password),
      createdAt: '1500000000000',
    },
  ];
  const path = files.write('users.json', JSON.stringify({ users }));
  const { report } = await importFile(app, 'firebase', path, {
    hash_config: files.write('config.json', JSON.stringify(FIREBASE)),
  });
  files.remove();
  expect(report).toMatchObject({ brought_along: 1 });
}

/** Queues a mail that cannot be sent, because no server listens on this port. */
export async function withWaitingMail({ database, clock }: TestApp, email: string): Promise<void> {
  const environment = { ...SETTINGS, SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'id@example.com' };
  const app = await startTestApp({ database, clock, environment, realHashes: true });
  await expects(createBrowser(app).post('/auth/password/forgot', { email }), 204);
  await app.close();
}

export type Known = Awaited<ReturnType<typeof fill>>;
