import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { isGrantable, permissionsOf } from '../src/domain/access/roles.ts';
import { exchange, insertKey } from '../src/features/machines/machines-fixture.ts';
import { web } from '../src/features/web/routes.ts';
import { open } from '../src/http/guards.ts';
import type { Route } from '../src/http/route.ts';
import { renderAccess } from './access-reference.ts';
import {
  ACCESS_TABLE,
  type AccessRow,
  CALLERS,
  type CallerKind,
  isWrite,
  needsSession,
  OPTIONAL_SESSION,
  outcomeOf,
  ssoCell,
} from './access-table.ts';
import { byCaller, type Outcome, type Stage, setStage, walkAs, walkWithKey } from './access-walk.ts';
import { startTestApp, useTestApp } from './harness.ts';
import { bindSession, setUser, suspendOrganization } from './records.ts';

const app = useTestApp({ environment: { TIER: 'premium', LIMIT_INTEGRATIONS: '100000/1m' } });
let stage: Stage;
let routes: ReadonlyMap<string, Route>;
beforeAll(async () => {
  const all = featuresOf(app.deps.config).flatMap((feature) => (feature === web ? [] : feature.routes));
  routes = new Map(all.map((route) => [`${route.method} ${route.path}`, route]));
  stage = await setStage(app);
});

const SIGNED_IN = CALLERS.slice(2);
const GRANTABLE = permissionsOf({ role: 'owner', held: null }).filter(isGrantable);
const takesSession = (row: AccessRow): boolean => needsSession(row) || OPTIONAL_SESSION.has(row.route);
const nameOf = ({ method, path, body }: AccessRow): string => [method, path, body].filter(Boolean).join(' ');
const named = (rows: readonly AccessRow[]) => rows.map((row) => [nameOf(row), row] as const);

type Manner = Parameters<typeof walkAs>[4];

function routeOf(row: AccessRow): { row: AccessRow; route: Route } {
  const route = routes.get(row.route);
  if (!route) throw new Error(`there is no ${row.route}`);
  return { row, route };
}

/** Sends the request of one row as each of these callers. After a change, creates new callers for the next row. */
async function walk(row: AccessRow, manner: Manner = {}, kinds: readonly CallerKind[] = CALLERS, at = app) {
  const answers: [CallerKind, Outcome][] = [];
  for (const kind of kinds) answers.push([kind, await walkAs(at, stage, routeOf(row), kind, manner)]);
  if (takesSession(row) && answers.some(([, { changed }]) => changed)) stage = await setStage(app);
  return answers;
}

const outcomes = (answers: readonly [CallerKind, Outcome][]) =>
  Object.fromEntries(answers.map(([kind, { outcome }]) => [kind, outcome]));

describe('the access table', () => {
  it('has a row for every route, and a route for every row', () => {
    const rows = new Set(ACCESS_TABLE.map(({ route }) => route));
    expect([...routes.keys()].filter((route) => !rows.has(route))).toEqual([]);
    expect([...rows].filter((row) => !routes.has(row))).toEqual([]);
  });

  it('leaves out the pages of the web app, which are public and get their data from the routes listed here', () => {
    expect(web.routes.length).toBeGreaterThan(20);
    for (const { access, path } of web.routes) expect(access, path).toEqual([open]);
  });

  it('docs/access.md matches the access table', async () => {
    await expect(renderAccess()).toMatchFileSnapshot('../../../docs/access.md');
  });

  it.each(named(ACCESS_TABLE))('%s returns the status in its row to each kind of caller', async (_, row) => {
    expect(outcomes(await walk(row))).toEqual(byCaller((_kind, index) => outcomeOf(row.cells[index]!)));
  });
});

describe('API keys', () => {
  const rows = ACCESS_TABLE.filter(needsSession);

  /** A key of the organization in the path whose account has every permission that a role can have. */
  const keyOf = async (scopes: string[] | null) => {
    const { organization_id, user_id } = stage.callers.owner!;
    return (await insertKey(app, { organization_id, created_by: user_id, permissions: GRANTABLE, scopes })).key;
  };

  it('every route returns the status of its last column to a key with all permissions, and to its token', async () => {
    stage = await setStage(app);
    const key = await keyOf(null);
    const token = (await exchange(app, key)).json.access_token;
    for (const row of ACCESS_TABLE) {
      for (const credential of [key, token]) {
        const { outcome } = await walkWithKey(app, stage, routeOf(row), { key: credential });
        expect([nameOf(row), outcome]).toEqual([nameOf(row), outcomeOf(row.machine)]);
      }
    }
    stage = await setStage(app);
  });

  it.each(GRANTABLE)(
    'a key with the only scope %s is admitted to the routes that need it, and to no others',
    async (scope) => {
      stage = await setStage(app);
      const key = await keyOf([scope]);
      for (const row of rows) {
        const needed = routeOf(row)
          .route.access.map(({ name }) => name)
          .filter((name) => /^[a-z]+\.[a-z_]+$/.test(name));
        const { outcome } = await walkWithKey(app, stage, routeOf(row), { key });
        const isAdmitted = row.machine !== '403' && needed.every((name) => name === scope);
        // A role write needs the permissions of the roles too, so a right scope may still be rejected.
        if (!isAdmitted) expect([nameOf(row), outcome]).toEqual([nameOf(row), '403 forbidden']);
        else if (row.method === 'GET') expect([nameOf(row), outcome]).toEqual([nameOf(row), outcomeOf(row.machine)]);
      }
      stage = await setStage(app);
    },
  );

  it('another organization in the path is 403, with the same body whether or not it exists', async () => {
    const key = await keyOf(null);
    const texts = new Set<string>();
    for (const row of rows.filter(({ path, machine }) => path.includes(':org_id') && machine !== '403')) {
      for (const org_id of [stage.elsewhere, '01890000-0000-7000-8000-000000000000']) {
        const { outcome, text } = await walkWithKey(app, stage, routeOf(row), { key, org_id });
        expect([nameOf(row), outcome]).toEqual([nameOf(row), '403 forbidden']);
        texts.add(text);
      }
    }
    expect(texts.size).toBe(1);
  });
});

describe('§13.3 single sign-on', () => {
  it('the session of an owner reaches the paths of its organization and the listed endpoints, and no others', async () => {
    const bind = ({ session_id }: { session_id: string }) => bindSession(app, session_id, uuid());
    stage = await setStage(app);
    await bind(stage.callers.owner!);
    for (const row of ACCESS_TABLE) {
      const [[, { outcome, changed }]] = (await walk(row, {}, ['owner'])) as [[CallerKind, Outcome]];
      expect([nameOf(row), outcome]).toEqual([nameOf(row), outcomeOf(ssoCell(row))]);
      if (changed) await bind(stage.callers.owner!);
    }
    stage = await setStage(app);
  });
});

describe('HEAD', () => {
  it.each(named(ACCESS_TABLE.filter((row) => !isWrite(row))))(
    'HEAD %s: the same status as GET, no body',
    async (_, row) => {
      const answers = await walk({ ...row, method: 'HEAD' }, {}, ['anonymous', 'member', 'platform owner, verified']);
      for (const [kind, { outcome, text }] of answers) {
        const [status] = outcomeOf(row.cells[CALLERS.indexOf(kind)]!).split(' ');
        expect([kind, outcome, text]).toEqual([kind, status, '']);
      }
    },
  );
});

describe('§5.3 the access table by cookie', () => {
  it.each(named(ACCESS_TABLE.filter(isWrite)))(
    '%s without the CSRF header is 403 csrf_failed for signed-in callers if the endpoint takes a session',
    async (_, row) => {
      const expected = byCaller((kind, index) =>
        takesSession(row) && SIGNED_IN.includes(kind) ? '403 csrf_failed' : outcomeOf(row.cells[index]!),
      );
      expect(outcomes(await walk(row, { by: 'cookie without CSRF' }))).toEqual(expected);
    },
  );

  it.each(named(ACCESS_TABLE.filter(takesSession)))(
    '%s with the CSRF header, or as a read, returns the status in its row',
    async (_, row) => {
      const expected = byCaller((_kind, index) => outcomeOf(row.cells[index]!));
      expect(outcomes(await walk(row, { by: 'cookie' }))).toEqual(expected);
    },
  );
});

describe('another organization in the path', () => {
  const rows = ACCESS_TABLE.filter(({ path }) => path.includes(':org_id'));

  it.each(named(rows))(
    '%s is 403 for another organization, with the same body whether or not that organization exists',
    async (_, row) => {
      const there = await walk(row, { org_id: stage.elsewhere }, SIGNED_IN);
      const nowhere = await walk(row, { org_id: '01890000-0000-7000-8000-000000000000' }, SIGNED_IN);
      expect(new Set([...there, ...nowhere].map(([, { outcome }]) => outcome))).toEqual(new Set(['403 forbidden']));
      expect(new Set([...there, ...nowhere].map(([, { text }]) => text)).size).toBe(1);
    },
  );

  it.each(named(rows))(
    '%s is 403 if the caller is a member of the organization in the path but the session belongs to another one',
    async (_, row) => {
      const { user_id } = stage.callers.owner!;
      await app.deps.db
        .insertInto('memberships')
        .values({
          organization_id: stage.elsewhere,
          user_id,
          role: 'owner',
          joined_at: app.clock.now(),
          revoked_at: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      expect(outcomes(await walk(row, { org_id: stage.elsewhere }, ['owner']))).toEqual({ owner: '403 forbidden' });
    },
  );
});

describe('§4.10 GET /admin/audit-export without the entitlement', () => {
  it('GET /admin/audit-export without the entitlement is 402 for every signed-in caller, whatever their role', async () => {
    const free = await startTestApp({ environment: { TIER: 'free' }, database: app.database, clock: app.clock });
    try {
      const row = ACCESS_TABLE.find(({ route }) => route === 'GET /admin/audit-export')!;
      const expected = byCaller((kind) => outcomeOf(SIGNED_IN.includes(kind) ? '402' : '401'));
      expect(outcomes(await walk(row, {}, CALLERS, free))).toEqual(expected);
    } finally {
      await free.close();
    }
  });
});

describe('the contract, section 4: sessions that are no longer valid', () => {
  const privileged = ['owner', 'platform owner, verified'] as const;

  it.each([
    ['of a disabled user', (id: string) => setUser(app, id, { status: 'disabled' })],
    ['of a deleted user', (id: string) => setUser(app, id, { status: 'deleted' })],
    ['of a suspended organization', (_: string, organization: string) => suspendOrganization(app, organization)],
    [
      'of a removed member',
      (id: string) =>
        app.deps.db.updateTable('memberships').set({ revoked_at: app.clock.now() }).where('user_id', '=', id).execute(),
    ],
    [
      'that has expired',
      (id: string) =>
        app.deps.db.updateTable('sessions').set({ expires_at: app.clock.now() }).where('user_id', '=', id).execute(),
    ],
  ])('a session %s is 401 at every endpoint that requires a session', async (_what, end) => {
    stage = await setStage(app);
    for (const kind of privileged) {
      const { user_id, organization_id } = stage.callers[kind]!;
      await end(user_id, organization_id);
    }
    for (const row of ACCESS_TABLE.filter(needsSession)) {
      const answers = await walk(row, {}, privileged);
      for (const [kind, { outcome }] of answers)
        expect([nameOf(row), kind, outcome]).toEqual([nameOf(row), kind, '401 authentication_required']);
    }
    stage = await setStage(app);
  });
});
