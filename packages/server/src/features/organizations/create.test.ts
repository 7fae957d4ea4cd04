import { beforeAll, describe, expect, it } from 'vitest';
import { type Administrator, insertAdministrator } from '../../../test/administrator.ts';
import { atOnce, createBrowser, newEmail, PASSWORD, registerUser, tally } from '../../../test/browser.ts';
import { startTestApp, useTestApp } from '../../../test/harness.ts';
import { auditOf, countingRows, findUser } from '../../../test/records.ts';

let admin: Administrator;
const boss = newEmail('boss');
const app = useTestApp({ environment: { REGISTRATION: 'closed', INITIAL_OWNER_EMAIL: boss } });
beforeAll(async () => {
  admin = await insertAdministrator(app);
});

const valid = (changes: Record<string, unknown> = {}) => ({
  organization_name: 'Example',
  owner_email: newEmail('owner'),
  owner_password: PASSWORD,
  ...changes,
});
const create = (changes: Record<string, unknown> = {}) => admin.post('/admin/orgs', valid(changes));
const login = (email: string) => createBrowser(app).post('/auth/login', { email, password: PASSWORD });

describe('§4.12 POST /admin/orgs', () => {
  it('creating an organization is 201, and its owner can sign in, also while registration is closed', async () => {
    const owner_email = newEmail('owner');
    const { status, json } = await create({
      organization_name: ' Ada & Co ',
      organization_slug: 'ada-and-co',
      owner_email: ` ${owner_email.toUpperCase()} `,
      owner_display_name: ' Ada ',
    });
    expect(status).toBe(201);
    const { organization_id, owner_user_id } = json;
    expect(json).toEqual({ organization_id, owner_user_id, slug: 'ada-and-co' });
    const { json: user } = await admin.get(`/users/${owner_user_id}`);
    expect(user).toMatchObject({
      email: owner_email,
      email_verified: false,
      display_name: 'Ada',
      status: 'active',
      has_password: true,
      platform_role: null,
      memberships: [{ organization_id, organization_name: 'Ada & Co', organization_slug: 'ada-and-co', role: 'owner' }],
    });
    expect((await login(owner_email)).json).toMatchObject({
      user: { organization_id },
      capabilities: { role: 'owner' },
    });
  });

  it('creating an organization is audited with the admin as actor, in the new organization, and sends a verification mail', async () => {
    const owner_email = newEmail('owner');
    const { organization_id, owner_user_id } = (await create({ owner_email })).json;
    expect(await auditOf(app, { resource_id: organization_id })).toMatchObject([
      {
        action: 'org.created',
        organization_id,
        actor_id: admin.user_id,
        resource_type: 'organization',
        metadata: { owner_user_id },
        outcome: 'success',
      },
    ]);
    const token = await app.mailbox.takeToken(owner_email, 'verify-email');
    expect((await createBrowser(app).post('/auth/email/verify', { token })).status).toBe(204);
    expect((await findUser(app, owner_user_id)).email_verified_at).not.toBeNull();
  });

  it('creating an organization signs no one in', async () => {
    const answer = await create();
    expect(answer.set_cookies).toEqual([]);
    const sessions = await app.deps.db
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', answer.json.owner_user_id)
      .execute();
    expect(sessions).toEqual([]);
  });

  it('an omitted slug is derived from the name and made unique', async () => {
    const [first, second] = [
      await create({ organization_name: 'Öl & Gas' }),
      await create({ organization_name: 'Öl & Gas' }),
    ];
    expect(first.json.slug).toBe('oel-and-gas');
    expect(second.json.slug).toMatch(/^oel-and-gas-[0-9a-f]{6}$/);
  });

  it('409 for a taken slug or email in any notation; nothing is written', async () => {
    const owner_email = newEmail('owner');
    await create({ organization_slug: 'taken-slug', owner_email });
    const tables = ['organizations', 'users', 'memberships', 'one_time_tokens', 'mails', 'audit_events'] as const;
    const { result, rows } = await countingRows(app, tables, async () => [
      await create({ organization_slug: 'taken-slug' }),
      await create({ owner_email: owner_email.toUpperCase() }),
      await create({ owner_email: admin.email }),
    ]);
    expect(result.map(({ status, json }) => [status, json.error.code, json.error.message])).toEqual([
      [409, 'conflict', 'organization slug already taken'],
      [409, 'conflict', 'email already registered'],
      [409, 'conflict', 'email already registered'],
    ]);
    expect(Object.values(rows)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('ten concurrent requests with one slug, or with one email: one succeeds', async () => {
    const organization_slug = 'only-one';
    expect(tally(await atOnce(10, () => create({ organization_slug })))).toEqual({ 201: 1, 409: 9 });
    const owner_email = newEmail('owner');
    expect(tally(await atOnce(10, () => create({ owner_email })))).toEqual({ 201: 1, 409: 9 });
  });

  it.each([
    [{ organization_name: undefined }, 'organization_name: is required'],
    [{ organization_name: '  ' }, 'organization_name: must not be blank'],
    [{ organization_name: 'x'.repeat(121) }, 'organization_name: must be 1 to 120 characters'],
    [{ organization_slug: 'Not A Slug' }, 'organization_slug: must be lower-case'],
    [{ owner_email: undefined }, 'owner_email: is required'],
    [{ owner_email: 'nobody' }, 'owner_email: must be an email address'],
    [{ owner_password: undefined }, 'owner_password: is required'],
    [{ owner_password: 'short' }, 'owner_password: must be 12 to 256 characters'],
    [{ owner_password: 'x'.repeat(257) }, 'owner_password: must be 12 to 256 characters'],
    [{ owner_display_name: 'a\u0000' }, 'owner_display_name: must not contain control characters'],
  ])('400 for the body %j', async (changes, message) => {
    const answer = await create(changes);
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_input']);
    expect(answer.json.error.message).toContain(message);
  });

  it('401 without a session; 403 for a viewer before the body is validated, and without CSRF', async () => {
    expect((await createBrowser(app).post('/admin/orgs', valid())).status).toBe(401);
    const viewer = await insertAdministrator(app, 'viewer');
    expect((await viewer.post('/admin/orgs', { nothing: true })).status).toBe(403);
    const owner_email = newEmail('owner');
    await create({ owner_email });
    const browser = createBrowser(app);
    await browser.post('/auth/login', { email: owner_email, password: PASSWORD });
    expect((await browser.post('/admin/orgs', valid(), { csrf: false })).json.error.code).toBe('csrf_failed');
  });

  it('INITIAL_OWNER_EMAIL is not claimed: else the admin, who chose the password, could become platform owner', async () => {
    const { json } = await create({ owner_email: boss });
    expect((await findUser(app, json.owner_user_id)).platform_role).toBeNull();
    expect((await login(boss)).json.capabilities.platform_role).toBeNull();
  });
});

describe('open registration', () => {
  it('rejects the slug and email of a provisioned organization as taken', async () => {
    const open = await startTestApp({ database: app.database });
    const owner_email = newEmail('owner');
    await create({ owner_email, organization_slug: 'provisioned' });
    await expect(registerUser(open, { email: owner_email })).rejects.toThrow('409');
    await expect(registerUser(open, { organization_slug: 'provisioned' })).rejects.toThrow('409');
    await open.close();
  });
});
