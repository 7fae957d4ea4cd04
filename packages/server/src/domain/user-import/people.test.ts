import { LIMITS } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, registerUser } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, setUser } from '../../../test/records.ts';
import { bcryptHash, FIREBASE } from '../passwords/hashes/hashes-fixture.ts';
import { type Files, findByEmail, importFile, ndjson, openFiles, signIn } from './import-fixture.ts';

const app = useTestApp();
let files: Files;
beforeAll(async () => {
  files = openFiles();
});
afterAll(async () => {
  files.remove();
});

const membershipsOf = (user_id: string) =>
  app.deps.db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.id', 'o.name', 'o.slug', 'm.role'])
    .where('m.user_id', '=', user_id)
    .execute();

const subjectsOf = async (user_id: string) => {
  const rows = await app.deps.db.selectFrom('identities').select('subject').where('user_id', '=', user_id).execute();
  return rows.map(({ subject }) => subject);
};

describe('imported users', () => {
  const one = async (email: string, more: object = {}) => ({
    email,
    passwordHash: await bcryptHash('the old password'),
    ...more,
  });
  const write = (...records: unknown[]) => files.write('people.ndjson', ndjson(records));

  it('each get a new organization, as after registration, and no mail', async () => {
    const [ada, plain] = [newEmail(), newEmail()];
    const path = write(await one(ada, { name: 'Ada Lovelace' }), await one(plain));
    const { rows } = await countingRows(app, ['mails', 'audit_events', 'sessions'], () =>
      importFile(app, 'auth0', path),
    );
    expect(rows).toEqual({ mails: 0, audit_events: 2, sessions: 0 });
    const account = (await findByEmail(app, ada))!;
    const [organization] = await membershipsOf(account.id);
    expect(organization).toMatchObject({
      name: 'Ada Lovelace',
      role: 'owner',
      slug: expect.stringMatching(/^ada-lovelace/),
    });
    expect(account.last_organization_id).toBe(organization!.id);
    const [own] = await membershipsOf((await findByEmail(app, plain))!.id);
    expect(own).toMatchObject({ name: plain.split('@')[0], role: 'owner' });
    expect(await auditOf(app, { resource_id: account.id })).toMatchObject([
      {
        action: 'auth.register',
        actor_id: null,
        actor_type: 'system',
        resource_type: 'user',
        organization_id: organization!.id,
        metadata: {},
        outcome: 'success',
      },
    ]);
    expect((await signIn(app, ada, 'the old password')).json.user.organization_id).toBe(organization!.id);
  });

  it('a hundred imported users with the same name get a hundred slugs', async () => {
    const emails = Array.from({ length: 100 }, newEmail);
    const path = write(...emails.map((email) => ({ email, name: 'Name Vetter' })));
    expect((await importFile(app, 'auth0', path)).report.brought_along).toBe(100);
  });

  it('join one organization if a target is given', async () => {
    const { organization_id } = await registerUser(app);
    const email = newEmail();
    const target = { organization_id, role: 'admin' } as const;
    await importFile(app, 'auth0', write(await one(email)), { target });
    expect(await membershipsOf((await findByEmail(app, email))!.id)).toMatchObject([
      { id: organization_id, role: 'admin' },
    ]);
    expect((await signIn(app, email, 'the old password')).json).toMatchObject({
      user: { organization_id },
      capabilities: { role: 'admin' },
    });
  });

  it('existing users are not changed, and a second run changes nothing', async () => {
    const here = await registerUser(app);
    const [ada, gone] = [newEmail(), await registerUser(app)];
    await setUser(app, gone.user_id, { status: 'deleted', password_hash: null });
    const path = write(
      await one(here.email, { name: 'Somebody Else', blocked: true }),
      await one(ada),
      await one(` ${ada.toUpperCase()} `),
      await one(gone.email),
    );
    const first = await importFile(app, 'auth0', path);
    expect(first.lines).toMatchObject([
      { at: 'line 1', email: here.email, reason: 'already_here' },
      { at: 'line 2', email: ada, outcome: 'brought_along' },
      { at: 'line 3', email: ada, reason: 'duplicate' },
      // Deleting an account frees its email.
      { at: 'line 4', email: gone.email, outcome: 'brought_along' },
    ]);
    expect((await signIn(app, here.email, PASSWORD)).status).toBe(200);
    await signIn(app, ada, 'the old password');
    const before = await findByEmail(app, ada);
    const { result, rows } = await countingRows(
      app,
      ['users', 'organizations', 'memberships', 'audit_events', 'password_counts', 'bus_events'],
      () => importFile(app, 'auth0', path),
    );
    expect(result.report).toMatchObject({ brought_along: 0 });
    expect([...result.report.skipped].map(([reason, { count }]) => [reason, count])).toEqual([
      ['already_here', 3],
      ['duplicate', 1],
    ]);
    expect(rows).toEqual({
      users: 0,
      organizations: 0,
      memberships: 0,
      audit_events: 0,
      password_counts: 0,
      bus_events: 0,
    });
    expect(await findByEmail(app, ada)).toEqual(before);
  });

  it('of several records with one email, a record whose email is verified is imported, even if it comes later in the file', async () => {
    const [ada, grace] = [newEmail(), newEmail()];
    const google = (subject: string) => ({ identities: [{ provider: 'google-oauth2', user_id: subject }] });
    const squatter = { passwordHash: await bcryptHash('of the squatter') };
    const path = write(
      { email: ada, ...squatter, ...google(`squatter-${ada}`) },
      { email: ada.toUpperCase(), ...squatter },
      await one(grace),
      ...Array.from({ length: 600 }, () => ({ email: 'nobody' })),
      await one(ada, { email_verified: true, ...google(`owner-${ada}`) }),
      { email: ada, ...squatter },
      { email: ada, ...squatter, email_verified: true },
      { email: grace, ...squatter },
    );
    for (const options of [{ dry_run: true, unverified: true }, { dry_run: true }, {}]) {
      const { lines } = await importFile(app, 'auth0', path, options);
      expect(lines.filter(({ email }) => email !== 'nobody')).toMatchObject([
        { email: ada, reason: 'unverified_duplicate' },
        { email: ada, reason: 'unverified_duplicate' },
        { email: grace, outcome: 'brought_along' },
        { at: 'line 604', email: ada, outcome: 'brought_along', identities: 1 },
        { email: ada, reason: 'unverified_duplicate' },
        { email: ada, reason: 'duplicate' },
        { email: grace, reason: 'duplicate' },
      ]);
    }
    const { id, email_verified_at } = (await findByEmail(app, ada))!;
    expect(email_verified_at).not.toBeNull();
    expect(await subjectsOf(id)).toEqual([`owner-${ada}`]);
    expect((await signIn(app, ada, 'of the squatter')).status).toBe(401);
    expect((await signIn(app, ada, 'the old password')).status).toBe(200);
  });

  it('are all unverified with the option `unverified`', async () => {
    const email = newEmail();
    await importFile(app, 'auth0', write({ email, email_verified: true }), { unverified: true });
    expect((await findByEmail(app, email))!.email_verified_at).toBeNull();
  });

  it('identities are linked if the issuer is the same, up to the maximum per user', async () => {
    const [ada, grace] = [newEmail(), newEmail()];
    const linked = (provider: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ provider, user_id: `${ada}-${index}` }));
    const enterprise = write({ email: ada, identities: [...linked('google-oauth2', 1), ...linked('github', 1)] });
    for (const dry_run of [true, false]) {
      const { of } = await importFile(app, 'auth0', enterprise, { linkable: ['oauth_a'], dry_run });
      expect(of(ada)).toMatchObject({ identities: 1, notes: ['identity_elsewhere'] });
    }
    const { id } = (await findByEmail(app, ada))!;
    const rows = await app.deps.db.selectFrom('identities').select('provider').where('user_id', '=', id).execute();
    expect(rows).toEqual([{ provider: 'oauth_a' }]);

    const most = LIMITS.identitiesPerUser;
    const { of } = await importFile(app, 'auth0', write({ email: grace, identities: linked('github', most + 1) }));
    expect(of(grace)).toMatchObject({ identities: most, notes: ['too_many_identities'] });
    expect(await subjectsOf((await findByEmail(app, grace))!.id)).toHaveLength(most);
  });

  it('a truncated file imports nothing', async () => {
    const email = newEmail();
    const path = files.write('cut.json', `[{"email":"${email}"},{"email":"x`);
    await expect(importFile(app, 'auth0', path)).rejects.toThrow('it is incomplete');
    expect(await findByEmail(app, email)).toBeUndefined();
  });

  it('two concurrent imports insert each user once', async () => {
    const emails = Array.from({ length: 50 }, newEmail);
    const path = write(...emails.map((email) => ({ email, name: 'Zwei Mal' })));
    const reverse = files.write(
      'reverse.ndjson',
      ndjson(emails.map((email) => ({ email, name: 'Zwei Mal' })).reverse()),
    );
    const both = await Promise.all([importFile(app, 'auth0', path), importFile(app, 'auth0', reverse)]);
    expect(both[0].report.brought_along + both[1].report.brought_along).toBe(50);
  });

  it('a dry run reports the same as the import, and writes nothing', async () => {
    const here = await registerUser(app);
    const [ada, grace] = [newEmail(), newEmail()];
    const google = { identities: [{ provider: 'google-oauth2', user_id: `dry-${ada}` }] };
    const records = [await one(here.email), await one(ada, google), await one(grace, google), { email: 'nobody' }, {}];
    const path = write(...records);
    const tables = ['users', 'organizations', 'memberships', 'identities', 'audit_events', 'bus_events'] as const;
    const { result: dry, rows } = await countingRows(app, tables, () =>
      importFile(app, 'auth0', path, { dry_run: true }),
    );
    expect(Object.values(rows).every((rise) => rise === 0)).toBe(true);
    const real = await importFile(app, 'auth0', path);
    expect(dry.report).toEqual(real.report);
    expect(dry.of(grace)).toMatchObject({ identities: 0, notes: ['identity_in_use'] });
    expect(real.lines.map(({ outcome }) => outcome)).toEqual([
      'skipped',
      'brought_along',
      'brought_along',
      'skipped',
      'skipped',
    ]);
    // The import has linked this identity to another user.
    const again = write(await one(newEmail(), google));
    for (const dry_run of [true, false]) {
      expect((await importFile(app, 'auth0', again, { dry_run })).lines).toMatchObject([
        { notes: ['identity_in_use'] },
      ]);
    }
  });

  it('Firebase: no signer key is stored if no user is imported', async () => {
    const small = await startTestApp();
    const hash_config = files.write('early.json', JSON.stringify(FIREBASE));
    const user = JSON.stringify({ email: newEmail(), ...FIREBASE });
    const keys = () => small.deps.db.selectFrom('foreign_hash_keys').select('id').execute();
    const cut = files.write('early-users.json', `{"users":[${user},`);
    await expect(importFile(small, 'firebase', cut, { hash_config })).rejects.toThrow('it is incomplete');
    const invalid = files.write('early-users.json', '{"users":[{"email":"nobody"}]}');
    await importFile(small, 'firebase', invalid, { hash_config });
    expect(await keys()).toEqual([]);
    await importFile(small, 'firebase', files.write('early-users.json', `{"users":[${user}]}`), { hash_config });
    expect(await keys()).toHaveLength(1);
    await small.close();
  });

  it('Firebase: a dry run stores no signer key', async () => {
    const small = await startTestApp();
    const hash_config = files.write('dry.json', JSON.stringify(FIREBASE));
    const path = files.write('dry-users.json', JSON.stringify({ users: [{ email: newEmail(), ...FIREBASE }] }));
    const { lines } = await importFile(small, 'firebase', path, { hash_config, dry_run: true });
    expect(lines).toMatchObject([{ outcome: 'brought_along', hash: 'firebase scrypt, 2^14, 8 rounds' }]);
    expect(await small.deps.db.selectFrom('foreign_hash_keys').select('id').execute()).toEqual([]);
    await small.close();
  });

  it('after an import, the cost of a wrong password includes the imported hashes at once', async () => {
    const small = await startTestApp();
    expect(small.deps.passwords.costs()).toHaveLength(1);
    await importFile(small, 'auth0', write(await one(newEmail())));
    expect(small.deps.passwords.costs()).toContain('bcrypt 4');
    await small.close();
  });

  it('an imported user without a password signs in with an emailed code and sets a password', async () => {
    const email = newEmail();
    await importFile(app, 'auth0', write({ email, email_verified: true }));
    expect((await signIn(app, email, 'the old password')).status).toBe(401);
    const browser = createBrowser(app);
    await browser.post('/auth/email-otp/request', { email });
    const code = await app.mailbox.takeCode(email);
    expect((await browser.post('/auth/email-otp/verify', { email, code })).status).toBe(200);
    expect((await browser.post('/users/me/password', { new_password: PASSWORD })).status).toBe(204);
    expect((await signIn(app, email, PASSWORD)).status).toBe(200);
  });
});
