import { createPrivateKey } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportKeys } from '../../src/domain/audit/export-key.ts';
import { openProviderSecret } from '../../src/domain/provider-settings/secret.ts';
import { verifyExport } from '../../src/features/audit/verify.ts';
import { signInWith } from '../../src/features/social/oauth-fixture.ts';
import { migrate, migrationStatus } from '../../src/platform/db/migrate.ts';
import { RELEASES } from '../../src/platform/db/migrations/releases.ts';
import { type Authenticator, beginSigningIn, createAuthenticator } from '../authenticator.ts';
import { bearer, claimsOf, createBrowser, PASSWORD, refreshTokenIn, refreshWith } from '../browser.ts';
import { runHere } from '../command-here.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { startFakeProvider } from '../fake-providers/provider.ts';
import type { TestApp } from '../harness.ts';
import { challenge, createAuthenticatorApp } from '../second-factor.ts';
import { type Contents, columnsOf, contentsOf, schemaOf } from './contents.ts';
import { changedAfter } from './declared-changes.ts';
import { FROZEN, keptOf, restore, startOn, unpackExport } from './frozen-database.ts';

it('every release has a frozen database', () => {
  expect(readdirSync(FROZEN).sort()).toEqual(RELEASES.map(({ version }) => version).sort());
});

describe.each(RELEASES)('a filled database of $version', ({ version, schema }) => {
  const kept = keptOf(version);
  let database: TestDatabase;
  let app: TestApp;
  let [before, after]: [Contents, Contents] = [{}, {}];
  beforeAll(async () => {
    database = await restore(version);
    const { applied } = await migrationStatus(database.db);
    expect(Math.max(...applied.map((migration) => migration.version))).toBe(schema);
    const { schema_migrations, ...tables } = await columnsOf(database.db);
    before = await contentsOf(database.db, tables);
    await migrate(database.address, new Date());
    after = await contentsOf(database.db, tables);
    app = await startOn(database, kept);
  });
  afterAll(async () => {
    await app.close();
    await database.close();
  });

  const login = (account: { email: string; password: string }, jar = new Map<string, string>()) =>
    createBrowser(app, jar).post('/auth/login', { email: account.email, password: account.password });

  /** Signs in with password and TOTP code, 30 seconds after the last code. */
  async function signInByApp(account: typeof kept.owner) {
    app.clock.advance(30);
    const { mfa_token } = (await login(account)).json;
    return challenge(app, mfa_token, { code: createAuthenticatorApp(app, account.totp_secret).code() });
  }

  it('a database of the release has rows in every table and keeps all of them', () => {
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    for (const table of changedAfter(schema)) for (const contents of [before, after]) delete contents[table];
    expect(after).toEqual(before);
  });

  it('an upgraded database has the schema of a new database', async () => {
    const fresh = await createTestDatabase();
    expect(await schemaOf(database.db)).toEqual(await schemaOf(fresh.db));
    await fresh.close();
  });

  it('access tokens from before the upgrade are valid until they expire, and refresh tokens can be used', async () => {
    const { access_token, refresh_token, user_id, session_id } = kept.plain;
    const ask = () => createBrowser(app).get('/auth/session', bearer(access_token));
    expect((await ask()).status).toBe(200);
    const refreshed = await refreshWith(app, refresh_token);
    expect(claimsOf(refreshed.json.access_token)).toMatchObject({ sub: user_id, sid: session_id });
    expect(refreshTokenIn(refreshed)).not.toBe(refresh_token);
    const start = app.clock.now();
    app.clock.advance(app.deps.config.ACCESS_TOKEN_TTL + 60);
    expect((await ask()).status).toBe(401);
    app.clock.set(start);
  });

  it('users sign in with passwords, also with an imported hash; disabled and deleted users do not', async () => {
    const { plain, firebase, disabled, deleted } = kept;
    for (const account of [plain, firebase]) expect((await login(account)).json.status).toBe('success');
    for (const account of [disabled, deleted]) expect((await login(account)).status).toBe(401);
  });

  it('users sign in with TOTP and recovery codes, and with neither from a trusted browser', async () => {
    const { app_holder } = kept;
    expect((await signInByApp(app_holder)).status).toBe(200);
    const [recovery_code] = app_holder.recovery_codes;
    const { mfa_token } = (await login(app_holder)).json;
    expect((await challenge(app, mfa_token, { recovery_code })).status).toBe(200);
    const trusted = new Map([['service_trust', app_holder.trust]]);
    expect((await login(app_holder, trusted)).json.status).toBe('success');
  });

  it('users sign in with passkeys and with a code that was mailed before', async () => {
    const { keyholder } = kept;
    const device = createAuthenticator({ credential_id: Buffer.from(keyholder.credential_id, 'base64url') });
    const credential = device.get(await beginSigningIn(app), {
      signs_with: { private_key: createPrivateKey(keyholder.private_key) } as Authenticator,
      user_handle: keyholder.user_handle,
      counter: keyholder.counter + 1,
    });
    const byKey = await createBrowser(app).post('/auth/passkey/login/complete', { credential });
    expect(byKey.json.user, byKey.text).toMatchObject({ user_id: keyholder.user_id });
    const { email, login_code: code } = keyholder;
    const byCode = await createBrowser(app).post('/auth/email-otp/verify', { email, code });
    expect(byCode.json.user, byCode.text).toMatchObject({ user_id: keyholder.user_id });
  });

  it('an invitation from before the upgrade can be accepted', async () => {
    const { token, email } = kept.invitation;
    const answer = await createBrowser(app).post('/auth/invitations/accept', { token, password: PASSWORD });
    expect(answer.json.user, answer.text).toMatchObject({ email, organization_id: kept.plain.organization_id });
  });

  it('a queued mail from before the upgrade is sent, and its link works', async () => {
    const token = await app.mailbox.takeToken(kept.plain.email, 'reset-password');
    const answer = await createBrowser(app).post('/auth/password/reset', { token, new_password: 'another passphrase' });
    expect(answer.status, answer.text).toBe(204);
    expect((await login({ ...kept.plain, password: 'another passphrase' })).status).toBe(200);
  });

  it('provider secrets are decrypted, and a third-party identity signs in to the same account', async () => {
    for (const [provider, secret] of Object.entries(kept.provider_secrets) as ['oauth_a' | 'oauth_b', string][]) {
      const columns = ['provider', 'sealed_secret'] as const;
      const row = database.db.selectFrom('provider_configs').select(columns).where('provider', '=', provider);
      const found = await row.executeTakeFirstOrThrow();
      expect(openProviderSecret(app.deps.configKeyring, found)).toEqual({ secret });
    }
    const github = await startFakeProvider('oauth_b', { now: app.clock.now, tenant: 'common' });
    github.person = { ...github.person, subject: kept.linked.subject };
    const token = (await signInByApp(kept.owner)).json.access_token;
    const other = await startOn(database, kept, github.environment);
    other.clock.set(app.clock.now());
    const body = { enabled: true, ...github.settings };
    await createBrowser(other).send('PUT', '/admin/integrations/oauth_b', { ...bearer(token), body });
    const { json, text } = await signInWith(other, github);
    expect(json.user, text).toMatchObject({ user_id: kept.linked.user_id });
    await other.close();
    await github.close();
  });

  it('avatars and flags are unchanged by the upgrade', async () => {
    const { path, bytes } = kept.plain.avatar;
    expect((await app.server.inject(path)).rawPayload.toString('base64')).toBe(bytes);
    const browser = createBrowser(app);
    await browser.post('/auth/login', { email: kept.firebase.email, password: kept.firebase.password });
    expect((await browser.get('/feature-flags')).json).toMatchObject({ beta: { enabled: true, value: { limit: 5 } } });
  });

  it('the audit export has a valid signature and all earlier rows, and the counts are correct', async () => {
    const token = (await signInByApp(kept.owner)).json.access_token;
    const { text } = await createBrowser(app).get('/admin/audit-export', bearer(token));
    const verdict = await verifyExport(Readable.from([Buffer.from(text)]), exportKeys(app.deps.config));
    expect(verdict).toMatchObject({ signedWith: 'AUDIT_EXPORT_KEY', fault: undefined });
    const rows = text.split('\n').map((line) => (line === '' ? {} : JSON.parse(line)));
    const earlier = before.audit_events!.map((line) => JSON.parse(line).event_id);
    expect(rows.map((row) => row.event_id)).toEqual(expect.arrayContaining(earlier));
    const { total } = (await createBrowser(app).get('/audit-logs', bearer(token))).json;
    expect(total).toBe((await database.db.selectFrom('audit_events').select('id').execute()).length);
    const { users } = (await createBrowser(app).get('/admin/overview', bearer(token))).json;
    const there = database.db.selectFrom('users').select('id').where('status', '<>', 'deleted');
    expect(users).toBe((await there.execute()).length);
  });

  it('the export of the release can be imported, and users can sign in', async () => {
    const target = await createTestDatabase({ empty: true });
    const folder = mkdtempSync(join(tmpdir(), 'gh-upgrade-'));
    unpackExport(version, join(folder, 'kept'));
    writeFileSync(join(folder, 'passphrase'), kept.passphrase);
    const env = { ...kept.settings, DATABASE_URL: target.url };
    const imported = await runHere(['import', 'kept', '--passphrase-file', 'passphrase'], { cwd: folder, env });
    expect(imported.code, imported.stderr).toBe(0);
    const there = await startOn(target, kept);
    const { mfa_token } = (
      await createBrowser(there).post('/auth/login', {
        email: kept.app_holder.email,
        password: kept.app_holder.password,
      })
    ).json;
    const [, recovery_code] = kept.app_holder.recovery_codes;
    expect((await challenge(there, mfa_token, { recovery_code })).status).toBe(200);
    await there.close();
    await target.close();
    rmSync(folder, { recursive: true });
  });
});
