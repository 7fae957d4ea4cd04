import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, newEmail, PASSWORD, registerPerson } from '../../../test/browser.ts';
import { startTestApp, type TestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, setUser } from '../../../test/records.ts';
import { bcryptHash, FIREBASE } from '../accounts/hashes/hashes-fixture.ts';
import { type Files, findByEmail, importFile, ndjson, openFiles, signIn } from './import-fixture.ts';

let app: TestApp;
let files: Files;
beforeAll(async () => {
  app = await startTestApp();
  files = openFiles();
});
afterAll(async () => {
  files.remove();
  await app.close();
});

const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const membershipsOf = (user_id: string) =>
  app.deps.db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.id', 'o.name', 'o.slug', 'm.role'])
    .where('m.user_id', '=', user_id)
    .execute();

describe('what becomes of people', () => {
  const one = async (email: string, more: object = {}) => ({
    email,
    passwordHash: await bcryptHash('the old password'),
    ...more,
  });
  const write = (...records: unknown[]) => files.write('people.ndjson', ndjson(records));

  it('each gets an organization of their own, as who registers does; no mail goes out', async () => {
    const [ada, plain] = [newEmail(), newEmail()];
    const path = write(await one(ada, { name: 'Ada Lovelace' }), await one(plain));
    const { rows } = await countingRows(app, ['mails', 'audit_events', 'sessions'], () =>
      importFile(app, 'auth0', path),
    );
    expect(rows).toEqual({ mails: 0, audit_events: 2, sessions: 0 });
    const person = (await findByEmail(app, ada))!;
    const [organization] = await membershipsOf(person.id);
    expect(organization).toMatchObject({
      name: 'Ada Lovelace',
      role: 'owner',
      slug: expect.stringMatching(/^ada-lovelace/),
    });
    expect(person.last_organization_id).toBe(organization!.id);
    const [own] = await membershipsOf((await findByEmail(app, plain))!.id);
    expect(own).toMatchObject({ name: plain.split('@')[0], role: 'owner' });
    expect(await auditOf(app, { resource_id: person.id })).toMatchObject([
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

  it('a hundred with one name have a hundred slugs', async () => {
    const emails = Array.from({ length: 100 }, newEmail);
    const path = write(...emails.map((email) => ({ email, name: 'Name Vetter' })));
    expect((await importFile(app, 'auth0', path)).report.brought_along).toBe(100);
  });

  it('or all join one', async () => {
    const { organization_id } = await registerPerson(app);
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

  it('nobody who is here is touched, and a second run changes nothing', async () => {
    const here = await registerPerson(app);
    const [ada, gone] = [newEmail(), await registerPerson(app)];
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
      // Deleting frees the email.
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

  it('two at once: everybody once', async () => {
    const emails = Array.from({ length: 50 }, newEmail);
    const path = write(...emails.map((email) => ({ email, name: 'Zwei Mal' })));
    const reverse = files.write(
      'reverse.ndjson',
      ndjson(emails.map((email) => ({ email, name: 'Zwei Mal' })).reverse()),
    );
    const both = await Promise.all([importFile(app, 'auth0', path), importFile(app, 'auth0', reverse)]);
    expect(both[0].report.brought_along + both[1].report.brought_along).toBe(50);
  });

  it('a dry run tells the same and writes nothing', async () => {
    const here = await registerPerson(app);
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
    // By now it is somebody's.
    const again = write(await one(newEmail(), google));
    for (const dry_run of [true, false]) {
      expect((await importFile(app, 'auth0', again, { dry_run })).lines).toMatchObject([
        { notes: ['identity_in_use'] },
      ]);
    }
  });

  it('a dry run of Firebase stores no key', async () => {
    const small = await startTestApp();
    const hash_config = files.write('dry.json', JSON.stringify(FIREBASE));
    const path = files.write('dry-users.json', JSON.stringify({ users: [{ email: newEmail(), ...FIREBASE }] }));
    const { lines } = await importFile(small, 'firebase', path, { hash_config, dry_run: true });
    expect(lines).toMatchObject([{ outcome: 'brought_along', hash: 'firebase scrypt, 2^14, 8 rounds' }]);
    expect(await small.deps.db.selectFrom('foreign_hash_keys').select('id').execute()).toEqual([]);
    await small.close();
  });

  it('servers that run know at once what checking a password costs now', async () => {
    const small = await startTestApp();
    expect(small.deps.passwords.decoyFor('nobody@example.com')).toMatch(OURS);
    await importFile(small, 'auth0', write(await one(newEmail())));
    expect(small.deps.passwords.decoyFor('nobody@example.com')).toMatch(/^\$2b\$04\$/);
    await small.close();
  });

  it('who comes without a password signs in by a code, and sets one', async () => {
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
