import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newEmail } from '../../../test/browser.ts';
import { CHEAP_HASHES, useTestApp } from '../../../test/harness.ts';
import { argon2Hash, bcryptHash, FIREBASE, firebaseHash, pbkdf2Parts } from '../passwords/hashes/hashes-fixture.ts';
import { type Files, findByEmail, importFile, ndjson, openFiles, signIn } from './import-fixture.ts';

const app = useTestApp();
let files: Files;
beforeAll(async () => {
  files = openFiles();
});
afterAll(async () => {
  files.remove();
});

const OURS = new RegExp(`^\\$argon2id\\$v=19\\$m=${CHEAP_HASHES.memoryCost},t=${CHEAP_HASHES.timeCost},p=1\\$`);
const identitiesOf = (user_id: string) =>
  app.deps.db.selectFrom('identities').selectAll().where('user_id', '=', user_id).orderBy('provider').execute();
/** A wrong password fails, the right one succeeds, and then the password is hashed with the service's own method. */
async function expectUpgrade(email: string, password: string): Promise<void> {
  expect((await findByEmail(app, email))!.password_hash).not.toMatch(OURS);
  expect((await signIn(app, email, `${password}?`)).status).toBe(401);
  expect((await findByEmail(app, email))!.password_hash).not.toMatch(OURS);
  expect((await signIn(app, email, password)).status).toBe(200);
  expect((await findByEmail(app, email))!.password_hash).toMatch(OURS);
  expect((await signIn(app, email, password)).status).toBe(200);
}

describe('import --from auth0', () => {
  it('Auth0: imports the file with password hashes, and users sign in with their passwords', async () => {
    const [ada, grace] = [newEmail(), newEmail()];
    const path = files.write(
      'hashes.ndjson',
      ndjson([
        {
          _id: { $oid: '5dea9f9c82dd7c0e76e4ec93' },
          email_verified: true,
          email: ada.toUpperCase(),
          passwordHash: await bcryptHash('the old password'),
          password_set_date: { $date: '2019-12-06T18:36:12.412Z' },
          tenant: 'example',
          connection: 'Username-Password-Authentication',
          _tmp_is_unique: true,
        },
        {
          _id: { $oid: '5dea9f9c82dd7c0e76e4ec94' },
          passwordHash: await bcryptHash('another', 5, '2a'),
          identifiers: [{ type: 'email', value: grace, verified: false }],
        },
      ]),
    );
    const { report, of } = await importFile(app, 'auth0', path);
    expect(report).toMatchObject({ read: 2, brought_along: 2 });
    expect(of(ada)).toMatchObject({ at: 'line 1', hash: 'bcrypt, cost 4', status: 'active', notes: [] });
    expect(await findByEmail(app, ada)).toMatchObject({
      email_verified_at: app.clock.now(),
      last_password_change_at: new Date('2019-12-06T18:36:12.412Z'),
      last_login_at: null,
    });
    expect((await findByEmail(app, grace))!.email_verified_at).toBeNull();
    await expectUpgrade(ada, 'the old password');
    await expectUpgrade(grace, 'another');
  });

  it('Auth0: imports compressed profiles with a separate file of hashes', async () => {
    const [ada, grace, alan, eve] = [newEmail(), newEmail(), newEmail(), newEmail()];
    const path = files.write(
      'users.json.gz',
      gzipSync(
        ndjson([
          {
            user_id: 'auth0|ada',
            email: ada,
            email_verified: true,
            name: 'Ada Lovelace',
            locale: 'en_GB',
            created_at: '2021-03-05T16:34:49.502Z',
            identities: [
              { provider: 'auth0', user_id: 'ada', connection: 'Username-Password-Authentication', isSocial: false },
              { provider: 'google-oauth2', user_id: `google-${ada}`, connection: 'google-oauth2', isSocial: true },
            ],
            multifactor: ['guardian'],
          },
          {
            user_id: 'github|5551234',
            email: grace,
            name: grace,
            given_name: 'Grace',
            family_name: 'Hopper',
            blocked: true,
          },
          { user_id: 'facebook|99', email: alan, nickname: 'alan', name: alan },
          { user_id: 'auth0|eve', email: eve },
        ]),
      ),
    );
    const hash = await bcryptHash('the old password');
    const password_hashes = files.write(
      'their-hashes.ndjson',
      ndjson([
        { _id: { $oid: '5dea' }, alt_id: 'ada', email: ada, passwordHash: hash },
        { _id: { $oid: '5deb' }, email: 'gone@example.com', passwordHash: hash },
        { _id: { $oid: '5dec' }, email: 'none@example.com' },
      ]),
    );
    const { of, unused, odd_hashes, report } = await importFile(app, 'auth0', path, { password_hashes });
    expect(unused).toBe(1);
    expect(odd_hashes).toBe(1);
    expect(report.identities).toBe(2);
    expect(of(ada)).toMatchObject({ identities: 1, notes: ['left_second_factor'] });
    expect(of(grace)).toMatchObject({ identities: 1, status: 'disabled', hash: 'without a password', notes: [] });
    expect(of(alan)).toMatchObject({ identities: 0, notes: ['left_other_identity'] });
    const account = (await findByEmail(app, ada))!;
    const created_at = new Date('2021-03-05T16:34:49.502Z');
    expect(account).toMatchObject({ display_name: 'Ada Lovelace', locale: 'en-GB', created_at });
    expect(Number.parseInt(account.id.replace('-', '').slice(0, 12), 16)).toBe(created_at.getTime());
    expect(await identitiesOf(account.id)).toMatchObject([
      { provider: 'oauth_a', issuer: 'https://accounts.google.com', subject: `google-${ada}`, revoked_at: null },
    ]);
    const disabled = (await findByEmail(app, grace))!;
    expect(disabled).toMatchObject({ display_name: 'Grace Hopper', status: 'disabled' });
    expect(await identitiesOf(disabled.id)).toMatchObject([{ provider: 'oauth_b', subject: '5551234' }]);
    expect((await findByEmail(app, alan))!.display_name).toBeNull();
    await expectUpgrade(ada, 'the old password');
  });

  it('Auth0: imports the password of an identity that is linked to a profile of another provider', async () => {
    const [ada, grace] = [newEmail(), newEmail()];
    const own = (user_id: string) => ({ provider: 'auth0', user_id, connection: 'Username-Password-Authentication' });
    const path = files.write(
      'linked.ndjson',
      ndjson([
        {
          user_id: `google-oauth2|${ada}`,
          email: ada,
          identities: [{ provider: 'google-oauth2', user_id: ada }, own('second')],
        },
        { user_id: 'auth0|first', email: grace, identities: [own('first'), own('other')] },
      ]),
    );
    const record = async (id: string, password: string) => ({ user_id: id, passwordHash: await bcryptHash(password) });
    const password_hashes = files.write(
      'linked-hashes.ndjson',
      ndjson([
        await record('second', 'the old password'),
        await record('auth0|other', 'the other one'),
        await record('first', 'the first one'),
      ]),
    );
    const { unused, odd_hashes } = await importFile(app, 'auth0', path, { password_hashes });
    expect([unused, odd_hashes]).toEqual([1, 0]);
    await expectUpgrade(ada, 'the old password');
    await expectUpgrade(grace, 'the first one');
  });

  it.each([
    ['profiles', { user_id: 'auth0|a', email: 'a@example.com' }],
    ['hashes without a user', { passwordHash: '$2b$04$WQlsblEgXQE4lMzrVjM7Z.YX9SeUnXXfGUZXGEkVIxLTt7bnTXmUe' }],
    ['hashes of an unknown kind', { user_id: 'a', passwordHash: 'what is this' }],
  ])('Auth0: %s are rejected as the file with the hashes', async (_, record) => {
    const email = newEmail();
    const path = files.write('users.ndjson', ndjson([{ user_id: 'auth0|a', email }]));
    const password_hashes = files.write('wrong.ndjson', ndjson([record]));
    await expect(importFile(app, 'auth0', path, { password_hashes })).rejects.toMatchObject({
      message: 'it contains no supported password hash',
      file: password_hashes,
    });
    expect(await findByEmail(app, email)).toBeUndefined();
  });

  it('imports other kinds of hashes in the format that Auth0 itself imports', async () => {
    const [bcrypt, argon2, pbkdf2, sha, salted] = [newEmail(), newEmail(), newEmail(), newEmail(), newEmail()];
    const [utf16, peppered] = [newEmail(), newEmail()];
    const { salt, hash } = pbkdf2Parts('the old password', 'sha512');
    const custom = (algorithm: string, value: string, more = {}) => ({ algorithm, hash: { value, ...more } });
    const path = files.write(
      'import.json',
      JSON.stringify([
        { email: bcrypt, password_hash: await bcryptHash('the old password', 4, '2b') },
        {
          email: argon2,
          custom_password_hash: {
            ...custom('argon2', await argon2Hash('the old password', 'i')),
            password: { encoding: 'utf8' },
          },
        },
        {
          email: pbkdf2,
          custom_password_hash: custom(
            'pbkdf2',
            `$pbkdf2-sha512$i=1000,l=64$${salt.toString('base64')}$${hash.toString('base64')}`,
          ),
        },
        { email: sha, custom_password_hash: custom('sha256', 'aGFsbG8') },
        {
          email: utf16,
          custom_password_hash: { ...custom('bcrypt', await bcryptHash('x')), password: { encoding: 'utf16le' } },
        },
        {
          email: peppered,
          custom_password_hash: { ...custom('bcrypt', await bcryptHash('x')), salt: { value: 'pepper' } },
        },
        {
          email: salted,
          custom_password_hash: custom('bcrypt', await bcryptHash('x'), {
            salt: { value: 'pepper', position: 'prefix' },
          }),
        },
      ]),
    );
    const { of } = await importFile(app, 'auth0', path);
    for (const email of [sha, salted, utf16, peppered]) {
      expect(of(email)).toMatchObject({ hash: 'without a password', notes: ['unknown_hash'] });
      expect((await findByEmail(app, email))!.password_hash).toBeNull();
    }
    for (const email of [bcrypt, argon2, pbkdf2]) await expectUpgrade(email, 'the old password');
  });
});

describe('import --from keycloak', () => {
  const credential = (data: unknown, secret: unknown) => ({
    id: 'c0ffee',
    type: 'password',
    createdDate: 1_735_995_502_485,
    credentialData: JSON.stringify(data),
    secretData: JSON.stringify(secret),
  });
  const pbkdf2 = (password: string, algorithm: string, digest: 'sha1' | 'sha256' | 'sha512') => {
    const { salt, hash, iterations } = pbkdf2Parts(password, digest);
    return credential(
      { hashIterations: iterations, algorithm, additionalParameters: {} },
      { value: hash.toString('base64'), salt: salt.toString('base64'), additionalParameters: {} },
    );
  };
  const argon2 = async (password: string) => {
    const [, , , , salt, value] = (await argon2Hash(password, 'id', { memory: 7168, passes: 5 })).split('$');
    const one = (value: string) => [value];
    return credential(
      {
        hashIterations: 5,
        algorithm: 'argon2',
        additionalParameters: {
          hashLength: one('32'),
          memory: one('7168'),
          type: one('id'),
          version: one('1.3'),
          parallelism: one('1'),
        },
      },
      { value: `${value}=`, salt: `${salt}==`, additionalParameters: {} },
    );
  };

  it('Keycloak: imports a realm with every kind of hash, names, language, status and providers', async () => {
    const emails = { sha1: newEmail(), sha256: newEmail(), sha512: newEmail(), argon2: newEmail(), other: newEmail() };
    const user = (email: string, more: object) => ({
      username: email,
      email,
      emailVerified: true,
      enabled: true,
      ...more,
    });
    const path = files.write(
      'realm.json',
      JSON.stringify(
        {
          id: 'example',
          realm: 'example',
          roles: { realm: [{ name: 'users' }], client: { users: [{ name: 'x' }] } },
          users: [
            user(emails.sha1, { credentials: [pbkdf2('the old password', 'pbkdf2', 'sha1')] }),
            user(emails.sha256, { credentials: [pbkdf2('the old password', 'pbkdf2-sha256', 'sha256')] }),
            user(emails.sha512, {
              credentials: [{ type: 'otp' }, pbkdf2('the old password', 'pbkdf2-sha512', 'sha512')],
            }),
            user(emails.argon2, {
              credentials: [await argon2('the old password'), { type: 'webauthn-passwordless' }],
              createdTimestamp: 1_600_000_000_000,
              firstName: 'Ada',
              lastName: 'Lovelace',
              attributes: { locale: ['de'] },
              federatedIdentities: [
                { identityProvider: 'our-google', userId: `kc-${emails.argon2}`, userName: 'ada' },
                { identityProvider: 'github', userId: '1', userName: 'ada' },
                { identityProvider: 'enterprise', userId: '1', userName: 'ada' },
              ],
            }),
            user(emails.other, {
              enabled: false,
              emailVerified: false,
              credentials: [credential({ algorithm: 'scrypt', hashIterations: 1 }, { value: 'AAAA', salt: 'AAAA' })],
            }),
            { username: 'service-account-x', serviceAccountClientId: 'x', enabled: true },
            { username: 'no-mail', enabled: true },
          ],
          identityProviders: [
            { alias: 'our-google', providerId: 'google' },
            // The provider is defined by its providerId, not by its alias: this is not GitHub.
            { alias: 'github', providerId: 'oidc' },
            { alias: 'enterprise', providerId: 'github', config: { baseUrl: 'https://ghe.example.com' } },
          ],
        },
        null,
        2,
      ),
    );
    const { of, lines, report } = await importFile(app, 'keycloak', path);
    expect(report).toMatchObject({ read: 7, brought_along: 5, disabled: 1, identities: 1 });
    expect(lines.slice(5)).toMatchObject([
      { at: 'users[5]', outcome: 'skipped', reason: 'service_account' },
      { at: 'users[6]', outcome: 'skipped', reason: 'no_email' },
    ]);
    expect(of(emails.sha256)).toMatchObject({ hash: 'pbkdf2-sha256, 1000 iterations' });
    expect(of(emails.sha512)).toMatchObject({ notes: ['left_second_factor'] });
    expect(of(emails.argon2)).toMatchObject({ notes: ['left_passkey', 'left_other_identity'], identities: 1 });
    expect(of(emails.other)).toMatchObject({ status: 'disabled', notes: ['unknown_hash'] });
    const account = (await findByEmail(app, emails.argon2))!;
    expect(account).toMatchObject({
      display_name: 'Ada Lovelace',
      locale: 'de',
      created_at: new Date(1_600_000_000_000),
      last_password_change_at: new Date(1_735_995_502_485),
    });
    expect(await identitiesOf(account.id)).toMatchObject([{ provider: 'oauth_a', subject: `kc-${emails.argon2}` }]);
    for (const email of [emails.sha1, emails.sha256, emails.sha512]) await expectUpgrade(email, 'the old password');
    // Sign-in does not replace this hash, which costs more than those of tests. `hash-cost.test.ts` uses the real cost.
    expect((await signIn(app, emails.argon2, 'the old password?')).status).toBe(401);
    expect((await signIn(app, emails.argon2, 'the old password')).status).toBe(200);
  });

  it('Keycloak: imports a folder whose files contain a few users each', async () => {
    const folder = openFiles();
    const [ada, grace, alan] = [newEmail(), newEmail(), newEmail()];
    const part = (...emails: string[]) =>
      JSON.stringify({ realm: 'example', users: emails.map((email) => ({ email, enabled: true })) });
    folder.write('example-realm.json', JSON.stringify({ realm: 'example', identityProviders: [] }));
    folder.write('example-users-0.json', part(ada, grace));
    folder.write('example-users-10.json', part(alan));
    folder.write('notes.txt', 'nothing');
    const { lines } = await importFile(app, 'keycloak', folder.folder);
    expect(lines.map(({ at, email }) => [at, email])).toEqual([
      ['example-users-0.json users[0]', ada],
      ['example-users-0.json users[1]', grace],
      ['example-users-10.json users[0]', alan],
    ]);
    const federated = { realm: 'example', federatedUsers: [{ id: 'f:0:ada', credentials: [] }] };
    folder.write('example-federated-users-0.json', JSON.stringify(federated));
    expect((await importFile(app, 'keycloak', folder.folder)).lines).toMatchObject([
      { at: 'example-federated-users-0.json federatedUsers[0]', outcome: 'skipped', reason: 'federated_user' },
      { email: ada, reason: 'already_here' },
      { email: grace, reason: 'already_here' },
      { email: alan, reason: 'already_here' },
    ]);
    folder.write('other-users-0.json', part(newEmail()));
    await expect(importFile(app, 'keycloak', folder.folder)).rejects.toThrow('it contains 2 realms');
    folder.remove();
  });
});

describe('users of Keycloak from a federation', () => {
  it('federated users of Keycloak are reported also if the export is a single file', async () => {
    const email = newEmail();
    const realm = { realm: 'example', federatedUsers: [{ id: 'f:0:ada' }], users: [{ email }] };
    const { lines } = await importFile(app, 'keycloak', files.write('single.json', JSON.stringify(realm)));
    expect(lines).toMatchObject([
      { at: 'users[0]', email, outcome: 'brought_along' },
      { at: 'federatedUsers[0]', reason: 'federated_user' },
    ]);
  });

  it('users of a Keycloak realm whose name ends in -federated are not taken for federated users', async () => {
    const folder = openFiles();
    const email = newEmail();
    folder.write('our-federated-realm.json', JSON.stringify({ realm: 'our-federated' }));
    folder.write('our-federated-users-0.json', JSON.stringify({ realm: 'our-federated', users: [{ email }] }));
    expect((await importFile(app, 'keycloak', folder.folder)).lines).toMatchObject([{ outcome: 'brought_along' }]);
    folder.remove();
    // If the realm file is missing, the import fails instead of skipping users silently.
    const parts = openFiles();
    parts.write('our-federated-users-0.json', JSON.stringify({ realm: 'our-federated', users: [{ email }] }));
    await expect(importFile(app, 'keycloak', parts.folder)).rejects.toThrow('no list named "federatedUsers"');
    parts.remove();
  });
});

describe('import --from supabase', () => {
  const HEAD =
    'id,email,encrypted_password,email_confirmed_at,raw_user_meta_data,created_at,banned_until,deleted_at,identities';

  it('Supabase: imports users from CSV', async () => {
    const [ada, grace, alan, gone] = [newEmail(), newEmail(), newEmail(), newEmail()];
    const quoted = (value: unknown) => `"${JSON.stringify(value, null, 1).replaceAll('"', '""')}"`;
    const identities = [
      { provider: 'email', provider_id: 'x' },
      { provider: 'google', provider_id: `sb-${ada}` },
    ];
    const path = files.write(
      'users.csv',
      `\uFEFF${[
        HEAD,
        `1,${ada},${await bcryptHash('the old password', 4, '2a')},2023-01-02 03:04:05.678+00,${quoted({ full_name: 'Ada, "Countess"', sub: 'somebody-elses' })},2023-01-01 12:00:00+00,,,${quoted(identities)}`,
        `2,${grace},,,,2023-01-01 12:00:00.123456+02,2999-01-01 00:00:00+00,,`,
        `3,${alan},,2023-01-01 12:00:00+00,,2023-01-01 12:00:00+05:30,2020-01-01 00:00:00+00,,`,
        `4,${gone},,,,2023-01-01 12:00:00+00,,2024-01-01 00:00:00+00,`,
        '5,too,few',
        '',
      ].join('\r\n')}`,
    );
    const { lines, of } = await importFile(app, 'supabase', path);
    // The second record is at line 15, because the first one contains line breaks.
    expect(lines.map(({ at }) => at)).toEqual(['line 2', 'line 15', 'line 16', 'line 17', 'line 18']);
    expect(of(ada)).toMatchObject({ identities: 1, notes: [] });
    expect(lines.slice(3)).toMatchObject([
      { email: gone, reason: 'deleted_there' },
      { email: null, reason: 'unreadable' },
    ]);
    const account = (await findByEmail(app, ada))!;
    expect(account).toMatchObject({
      display_name: 'Ada, "Countess"',
      email_verified_at: new Date('2023-01-02T03:04:05.678Z'),
      created_at: new Date('2023-01-01T12:00:00Z'),
    });
    expect(await identitiesOf(account.id)).toMatchObject([{ subject: `sb-${ada}` }]);
    expect(await findByEmail(app, grace)).toMatchObject({
      status: 'disabled',
      email_verified_at: null,
      created_at: new Date('2023-01-01T10:00:00.123Z'),
    });
    expect(await findByEmail(app, alan)).toMatchObject({
      status: 'active',
      created_at: new Date('2023-01-01T06:30:00Z'),
    });
    await expectUpgrade(ada, 'the old password');
  });

  it('Supabase: imports users from NDJSON and from a JSON array; metadata that users can write links no identity', async () => {
    const row = async (email: string) => ({
      email,
      encrypted_password: await bcryptHash('the old password'),
      email_confirmed_at: null,
      confirmed_at: '2023-01-01T00:00:00Z',
      raw_user_meta_data: { name: 'Ada', iss: 'https://accounts.google.com', sub: '4711', provider_id: '4711' },
      raw_app_meta_data: { provider: 'google', providers: ['google'] },
    });
    const [ada, grace] = [newEmail(), newEmail()];
    for (const [email, text] of [
      [ada, ndjson([await row(ada)])],
      [grace, JSON.stringify([await row(grace)])],
    ] as const) {
      const { of } = await importFile(app, 'supabase', files.write('users.any', text));
      expect(of(email)).toMatchObject({ outcome: 'brought_along', identities: 0 });
      const account = (await findByEmail(app, email))!;
      expect(account).toMatchObject({ display_name: 'Ada', email_verified_at: null });
      await expectUpgrade(email, 'the old password');
    }
  });
});

describe('import --from firebase', () => {
  const CONSOLE = `hash_config {\n${Object.entries(FIREBASE.hash_config)
    .map(([name, value]) => `  ${name}: ${value},`)
    .join('\n')}\n}\n`;
  const configs = () => [
    files.write('console.txt', CONSOLE),
    files.write('config.json', JSON.stringify(FIREBASE)),
    files.write('bare.json', JSON.stringify(FIREBASE.hash_config)),
  ];
  const keys = () => app.deps.db.selectFrom('foreign_hash_keys').selectAll().execute();

  it('Firebase: imports users with hash parameters as text of the console or as JSON', async () => {
    const { salt, passwordHash } = FIREBASE;
    for (const [index, hash_config] of configs().entries()) {
      const [known, made, linked] = [newEmail(), newEmail(), newEmail()];
      const users = [
        {
          localId: 'kYi4EvWQlQTKSfnJ3dRSP6IH3ed2',
          email: known,
          emailVerified: true,
          // URL-safe base64, as the Firebase API returns it.
          passwordHash: passwordHash.replaceAll('+', '-').replaceAll('/', '_'),
          salt: salt.replaceAll('+', '-'),
          displayName: 'Test User 1',
          createdAt: '1500000000000',
          lastSignedInAt: '1600000000000',
          providerUserInfo: [],
        },
        { localId: 'b', email: made, ...firebaseHash('another password'), createdAt: '1500000000001', disabled: false },
        {
          localId: 'c',
          email: linked,
          disabled: true,
          mfaInfo: [{ phoneInfo: '+1' }],
          providerUserInfo: [
            { providerId: 'google.com', rawId: `fb-${linked}`, email: linked },
            { providerId: 'apple.com', rawId: '000' },
          ],
        },
        { localId: 'd', phoneNumber: '+49', providerUserInfo: [] },
      ];
      const path = files.write(
        'users.json',
        `{"users": [\n${users.map((user) => JSON.stringify(user)).join(',\n')}\n]}`,
      );
      const { of, report } = await importFile(app, 'firebase', path, { hash_config });
      expect(report).toMatchObject({ read: 4, brought_along: 3, identities: 1 });
      expect(of(known)).toMatchObject({ hash: 'firebase scrypt, 2^14, 8 rounds' });
      expect(of(linked)).toMatchObject({ notes: ['left_second_factor', 'left_other_identity'], status: 'disabled' });
      expect(await findByEmail(app, known)).toMatchObject({
        display_name: 'Test User 1',
        created_at: new Date(1_500_000_000_000),
      });
      if (index > 0) continue;
      await expectUpgrade(known, FIREBASE.password);
      await expectUpgrade(made, 'another password');
    }
    // All three configurations contain the same signer key, which is stored once, and it is sealed.
    const rows = await keys();
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed_key).not.toContain(FIREBASE.hash_config.base64_signer_key.slice(0, 20));
    expect(JSON.stringify(await app.deps.db.selectFrom('users').select('password_hash').execute())).not.toContain(
      FIREBASE.hash_config.base64_signer_key.slice(0, 20),
    );
  });

  it.each([
    [CONSOLE.replace('SCRYPT', 'BCRYPT'), 'its algorithm is not SCRYPT'],
    [CONSOLE.replace(/base64_signer_key.*/, ''), 'it has no base64_signer_key'],
    [CONSOLE.replace('Bw==', '!'), 'its base64_salt_separator is not base64'],
    [CONSOLE.replace('rounds: 8', 'rounds: many'), 'it lacks rounds or mem_cost'],
    ['', 'its algorithm is not SCRYPT'],
    ['[]', 'its algorithm is not SCRYPT'],
  ])('Firebase: invalid hash parameters are rejected: %#', async (text, message) => {
    const hash_config = files.write('wrong.txt', text);
    const path = files.write('nobody.json', '{"users": []}');
    await expect(importFile(app, 'firebase', path, { hash_config })).rejects.toMatchObject({
      message,
      file: hash_config,
    });
  });
});
