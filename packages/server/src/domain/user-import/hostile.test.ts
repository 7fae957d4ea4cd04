import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newEmail } from '../../../test/browser.ts';
import { useTestApp } from '../../../test/harness.ts';
import { bcryptHash } from '../passwords/hashes/hashes-fixture.ts';
import type { Format } from './formats.ts';
import { type Files, findByEmail, importFile, ndjson, openFiles, signIn } from './import-fixture.ts';

const app = useTestApp();
let files: Files;
let hash_config: string;
beforeAll(async () => {
  files = openFiles();
  hash_config = files.write(
    'config.json',
    JSON.stringify({
      algorithm: 'SCRYPT',
      base64_signer_key: 'AAAA',
      base64_salt_separator: '',
      rounds: 8,
      mem_cost: 30,
    }),
  );
});
afterAll(async () => {
  files.remove();
});

const importRecords = (format: Format, records: readonly unknown[]) => {
  const text = format === 'firebase' || format === 'keycloak' ? JSON.stringify({ users: records }) : ndjson(records);
  return importFile(app, format, files.write('hostile', text), format === 'firebase' ? { hash_config } : {});
};

const HOSTILE: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  '\0',
  '\ud800',
  '\u202e\x1b[2J',
  'x'.repeat(100_000),
  [],
  [[]],
  [null],
  {},
  { toString: 1, valueOf: 1 },
  { length: 1e9 },
  [{ toString: null, provider: { toString: 1 }, user_id: {} }],
  '{"toString":1}',
  '[{"provider":{"toString":1}}]',
];

const FIELDS: Readonly<Record<Format, readonly string[]>> = {
  auth0: [
    'user_id',
    '_id',
    'alt_id',
    'email_verified',
    'identifiers',
    'name',
    'given_name',
    'locale',
    'created_at',
    'blocked',
    'passwordHash',
    'password_hash',
    'custom_password_hash',
    'password_set_date',
    'identities',
    'multifactor',
  ],
  keycloak: [
    'emailVerified',
    'enabled',
    'firstName',
    'attributes',
    'createdTimestamp',
    'credentials',
    'federatedIdentities',
    'serviceAccountClientId',
  ],
  supabase: [
    'encrypted_password',
    'email_confirmed_at',
    'raw_user_meta_data',
    'created_at',
    'banned_until',
    'deleted_at',
    'identities',
  ],
  firebase: [
    'emailVerified',
    'passwordHash',
    'salt',
    'displayName',
    'createdAt',
    'disabled',
    'providerUserInfo',
    'mfaInfo',
    'passwordUpdatedAt',
  ],
};

describe('unexpected values in a field', () => {
  it.each(Object.entries(FIELDS) as [Format, string[]][])(
    '%s: a user with an unexpected value is imported, or reported as a service account or deleted user',
    async (format, fields) => {
      const records = fields.flatMap((name) => HOSTILE.map((value) => ({ email: newEmail(), [name]: value })));
      const { report, lines } = await importRecords(format, records);
      expect(report.read).toBe(records.length);
      for (const line of lines) {
        expect(line.outcome === 'brought_along' || ['service_account', 'deleted_there'].includes(line.reason)).toBe(
          true,
        );
      }
    },
  );

  it.each(['auth0', 'keycloak', 'supabase', 'firebase'] as const)(
    '%s: an invalid email is reported',
    async (format) => {
      const emails = [
        ...HOSTILE,
        'nobody',
        'a@b',
        'a@@example.com',
        'a b@example.com',
        'a\0@example.com',
        'a@example.com\n',
      ];
      const { report, lines } = await importRecords(format, [...emails.map((email) => ({ email })), 5, [], null]);
      expect(report).toMatchObject({ read: emails.length + 3, brought_along: 0 });
      // No control characters for the terminal, and a maximum length.
      for (const { email } of lines) expect(email ?? '').toMatch(/^[^\p{C}]{0,80}$/u);
    },
  );

  it('Keycloak: invalid credentials are dropped', async () => {
    const records = HOSTILE.flatMap((value) =>
      ['secretData', 'credentialData', 'type'].map((name) => ({
        email: newEmail(),
        credentials: [
          { type: 'password', secretData: '{"value":"AAAA","salt":"AAAA"}', credentialData: '{}', [name]: value },
        ],
      })),
    );
    const { report } = await importRecords('keycloak', records);
    expect(report).toMatchObject({ brought_along: records.length });
    expect([...report.hashes.keys()]).toEqual(['without a password']);
  });
});

describe('values that could do harm later', () => {
  it('fields named like Object.prototype members have no effect', async () => {
    const email = newEmail();
    const text = `{"email":"${email}","__proto__":{"blocked":true,"email_verified":true},"constructor":{"prototype":{"blocked":true}},"identities":[{"provider":"__proto__","user_id":"1"},{"provider":"constructor","user_id":"1"}]}\n`;
    const { of } = await importFile(app, 'auth0', files.write('proto.ndjson', text));
    expect(of(email)).toMatchObject({ status: 'active', identities: 0, notes: ['left_other_identity'] });
    expect((await findByEmail(app, email))!.email_verified_at).toBeNull();
    expect(({} as { blocked?: boolean }).blocked).toBeUndefined();
    const csv = `email,__proto__\n${newEmail()},x\n`;
    expect((await importFile(app, 'supabase', files.write('proto.csv', csv))).report.brought_along).toBe(1);
  });

  it('hashes that are too costly are dropped', async () => {
    const bcrypt = await bcryptHash('x');
    const hashes = [
      bcrypt.replace('$04$', '$31$'),
      '$argon2id$v=19$m=99999999,t=9,p=1$c29tZXNhbHQ$VawEblY8v2v7TPIh9tUrBEnlRuqRhMHIv9zK+hF8wgk',
      '$pbkdf2-sha512$i=4000000000,l=32$c29tZXNhbHQ$VawEblY8v2v7TPIh9tUrBEnlRuqRhMHIv9zK+hF8wgk',
    ];
    const records = hashes.map((passwordHash) => ({ email: newEmail(), passwordHash }));
    const { lines } = await importRecords('auth0', records);
    for (const line of lines) expect(line).toMatchObject({ hash: 'without a password', notes: ['costly_hash'] });
    const firebase = { email: newEmail(), passwordHash: 'A'.repeat(86), salt: 'AAAA' };
    expect((await importRecords('firebase', [firebase])).lines).toMatchObject([{ notes: ['costly_hash'] }]);
    for (const { email } of [...records, firebase]) {
      expect((await findByEmail(app, email))!.password_hash).toBeNull();
      expect((await signIn(app, email, 'x')).status).toBe(401);
    }
  });

  it('a too costly hash in the database never matches and is not computed', async () => {
    const email = newEmail();
    await importRecords('auth0', [{ email, passwordHash: await bcryptHash('x') }]);
    const password_hash = (await findByEmail(app, email))!.password_hash!.replace('$04$', '$31$');
    await app.deps.db.updateTable('users').set({ password_hash }).where('email', '=', email).execute();
    expect((await signIn(app, email, 'x')).status).toBe(401);
  });

  it('a name with line breaks is stored as one line, and times in the future are ignored', async () => {
    const [ada, long] = [newEmail(), newEmail()];
    const { of } = await importRecords('auth0', [
      { email: ada, name: ' Ada\u0000\u202e \nLovelace ', created_at: '2999-01-01T00:00:00Z' },
      { email: long, name: '😀'.repeat(500), created_at: '1815-12-10T00:00:00Z' },
    ]);
    expect(of(ada)).toMatchObject({ notes: ['name_changed'] });
    expect(await findByEmail(app, ada)).toMatchObject({ display_name: 'Ada Lovelace', created_at: app.clock.now() });
    expect(await findByEmail(app, long)).toMatchObject({ display_name: '😀'.repeat(120), created_at: app.clock.now() });
  });

  it('an email address that changes by normalization does not count as verified', async () => {
    const { of } = await importRecords('auth0', [{ email: '\u212Aelvin@example.com', email_verified: true }]);
    expect(of('kelvin@example.com')).toMatchObject({ notes: ['email_not_verified'] });
    expect((await findByEmail(app, 'kelvin@example.com'))!.email_verified_at).toBeNull();
  });

  it('the report contains no part of a password hash', async () => {
    const passwordHash = await bcryptHash('x');
    const { lines, report } = await importRecords('auth0', [
      { email: newEmail(), passwordHash },
      { email: 'nobody', passwordHash },
      { email: newEmail(), passwordHash: `?${passwordHash}` },
    ]);
    expect(JSON.stringify([lines, [...report.notes], [...report.skipped]])).not.toContain(passwordHash.slice(7, 27));
  });
});
