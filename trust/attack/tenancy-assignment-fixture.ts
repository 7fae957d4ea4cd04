import { sql } from 'kysely';
import { bearer, createBrowser } from '../../packages/server/test/browser.ts';
import { insertSession } from '../../packages/server/test/harness.ts';
import { cases } from '../ledger.ts';
import type { Tenants } from './tenancy-fixture.ts';
import { OPERATIONS, operationOf, rowsAbout, type Twin } from './tenancy-twins-fixture.ts';
import { differs } from './unchanged-fixture.ts';

/** An unknown id that is recognized wherever it appears. */
const MARK = '0badc0de-0bad-7bad-8bad-0badc0de0bad';
const TIME = '2001-02-03T04:05:06.000Z';
const LATER = '2101-02-03T04:05:06.000Z';
const isMarked = (text: string): boolean => /badc0de|2[01]01-02-03/.test(text);

/** Fields that a client must not set: identity, permissions, times. */
const POISON: Readonly<Record<string, unknown>> = {
  id: MARK,
  user_id: MARK,
  actor_id: MARK,
  owner_id: MARK,
  inviter_id: MARK,
  org_id: MARK,
  organization_id: MARK,
  organization_ids: [MARK],
  session_id: MARK,
  session_family_id: MARK,
  sub: MARK,
  role: 'owner',
  roles: ['owner'],
  permissions: ['org.update', 'members.remove'],
  scopes: ['*'],
  capabilities: { role: 'owner', permissions: ['org.update'] },
  platform_role: 'owner',
  is_owner: true,
  is_admin: true,
  admin: true,
  email_verified: true,
  email_verified_at: TIME,
  status: 'deleted',
  enabled: false,
  suspended: true,
  suspended_at: TIME,
  revoked_at: TIME,
  deleted_at: TIME,
  created_at: TIME,
  updated_at: TIME,
  joined_at: TIME,
  auth_time: TIME,
  last_login_at: TIME,
  expires_at: LATER,
  expires_in: 999_999_999,
  aal: 'aal2',
  auth_method: 'passkey',
  mfa_enabled: false,
  mfa_enabled_at: TIME,
  mfa_verified_at: TIME,
  tier: 'premium',
  password_hash: MARK,
  token_hash: MARK,
  sign_count: 4_000_000,
  locale: 'tlh',
  slug: 'badc0de',
  constructor: { prototype: { platform_role: 'owner', role: 'owner', aal: 'aal2' } },
  prototype: { platform_role: 'owner' },
  ['__proto__']: { platform_role: 'owner', role: 'owner', aal: 'aal2', email_verified: true, id: MARK },
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: Record<string, unknown>;
}
interface Document {
  readonly paths: Record<string, Record<string, { requestBody?: { content?: Record<string, { schema?: Schema }> } }>>;
  readonly components?: { readonly schemas?: Record<string, Schema> };
}

function takenFields({ paths, components }: Document): Map<string, readonly string[]> {
  const accepted = new Map<string, readonly string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      if (!schema) continue;
      const named = schema.$ref && components?.schemas?.[schema.$ref.split('/').at(-1)!];
      const { properties = {} } = named || schema;
      accepted.set(`${method.toUpperCase()} ${path.replace('/v1', '')}`, Object.keys(properties));
    }
  }
  return accepted;
}

/** Replaces what differs between any two users: ids, times, hashes, sealed secrets. */
const plain = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)/g, '<time>')
    .replaceAll(/[\w.<>-]+@example\.com/g, '<email>')
    .replaceAll(/\$argon2id[^"]+/g, '<hash>')
    .replaceAll(/\\\\x[0-9a-f]+/g, '<bytes>')
    .replaceAll(/v1:[0-9a-f]{16}:[^"]+/g, '<sealed>')
    .replaceAll(/"(slug|organization_slug)": ?"[^"]+"/g, '"slug":"<slug>"')
    .replaceAll(/"(used_steps)": ?\[[^\]]*\]/g, '"used_steps":<steps>')
    .replaceAll(/eyJ[\w.-]+/g, '<token>')
    .replaceAll(/gth_\w+|(?<="public_id": ?)"\w+"/g, '<key>')
    .replaceAll(/app_\w{24}/g, '<client>')
    .replaceAll(/gatehouse-domain=[\w-]{43}/g, '<record>')
    .replaceAll(
      /"(recovery_codes|authorization_url|challenge|qr_code|link|secret|token)": ?("[^"]*"|\[[^\]]*\])/g,
      '"$1":<new>',
    )
    .replaceAll(/"expires_in":\d+/g, '"expires_in":<seconds>');

export function tryAssignment(current: () => Tenants): void {
  const run = async (twin: Twin, method: string, url: string, poison: object) => {
    // The JSON text is built from entries, because spreading the objects would lose `__proto__`.
    const body = `{${[poison, twin.body].flatMap((part) => Object.entries(part)).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)}}`;
    const answer = await createBrowser(url).send(method, twin.path, {
      body,
      ...(twin.headers && { headers: twin.headers }),
      ...(twin.token !== undefined && bearer(twin.token)),
    });
    return { status: answer.status, text: answer.text, rows: await rowsAbout(current(), twin.about) };
  };

  cases('undeclared fields change nothing', async (ledger) => {
    const { replicas, localApp, routes } = current();
    const document = (await (await fetch(`${replicas.either(0)}/openapi.json`)).json()) as Document;
    const accepted = takenFields(document);
    const { user_id, organization_id } = await insertSession(localApp);
    const bystander = [user_id, organization_id];
    const untouched = await rowsAbout(current(), bystander);
    let asked = 0;
    for (const [name, fields] of accepted) {
      await ledger.attempt(name, async () => {
        const operation = OPERATIONS[name] ?? operationOf(routes.get(name.replaceAll(/\{(\w+)\}/g, ':$1'))!);
        const [method = ''] = name.split(' ');
        const url = replicas.either(asked++);
        const poison = Object.fromEntries(Object.entries(POISON).filter(([field]) => !fields.includes(field)));
        const good = await run(await operation(current(), url), method, url, {});
        const bad = await run(await operation(current(), url), method, url, poison);
        if (good.status >= 300) return `a right one was answered ${good.status}: ${good.text}`;
        const found = [...bad.rows, bad.text].filter(isMarked);
        if (found.length > 0) return found.join('\n');
        const seen = (one: typeof good) => [one.status, plain(one.text), one.rows.map(plain).sort()];
        return differs(seen(bad), seen(good));
      });
    }
    await ledger.attempt('the rows of another user are unchanged', async () =>
      differs(await rowsAbout(current(), bystander), untouched),
    );
    await ledger.attempt('no row of any table contains the mark', async () => {
      const { rows } = await sql<{ name: string }>`
        select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(replicas.database.db);
      const marked = rows.map(
        ({ name }) => sql`select ${name}::text as name from ${sql.table(name)} as one
          where one::text ~ 'badc0de|2[01]01-02-03'`,
      );
      const found = await sql<{ name: string }>`${sql.join(marked, sql` union all `)}`.execute(replicas.database.db);
      return differs([rows.length > 20, found.rows], [true, []]);
    });
    ledger.note(`${accepted.size} operations, ${Object.keys(POISON).length} fields in each`);
    for (const name of Object.keys(OPERATIONS)) {
      if (!accepted.has(name)) ledger.enter(name, 'the document does not have it');
    }
  });
}
