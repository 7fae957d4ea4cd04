import { v7 as uuid } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { isGrantable, permissionsOf } from '../src/domain/kernel/permissions.ts';
import { exchange, insertKey } from '../src/features/machines/machines-fixture.ts';
import { web } from '../src/features/pages/routes.ts';
import { givePolicy } from '../src/features/policy/policy-fixture.ts';
import { guardsOf } from '../src/http/admission.ts';
import type { Route } from '../src/http/route.ts';
import { renderAccess } from './access-reference.ts';
import {
  ACCESS_TABLE,
  type AccessRow,
  CALLERS,
  type CallerKind,
  isWrite,
  type Kind,
  needsSession,
  OPTIONAL_SESSION,
  outcomeOf,
} from './access-table.ts';
import { byCaller, type Outcome, type Stage, setStage, walkAs, walkWithKey } from './access-walk.ts';
import { insertSession, startTestApp, useTestApp } from './harness.ts';
import { bindSession, setSession, setUser, suspendOrganization } from './records.ts';

const app = useTestApp({ environment: { TIER: 'premium', LIMIT_INTEGRATIONS: '100000/1m' } });
let stage: Stage;
let routes: ReadonlyMap<string, Route>;
beforeAll(async () => {
  const all = featuresOf(app.deps.config).flatMap((feature) => (feature === web ? [] : feature.routes));
  routes = new Map(all.map((route) => [`${route.method} ${route.path}`, route]));
  stage = await setStage(app);
});

const SIGNED_IN = CALLERS.slice(2);
/** An invalid session, a member without permissions, an owner of the organization, and a platform owner. */
const SOME_CALLERS = ['ended session', 'member', 'owner', 'platform owner, verified'] as const;
/** An organization that does not exist. */
const NOWHERE = '01890000-0000-7000-8000-000000000000';
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
    for (const { admits, path } of web.routes) expect(admits, path).toEqual(['anyone']);
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
  const permissionsFor = (row: AccessRow): string[] =>
    guardsOf(routeOf(row).route)
      .map(({ name }) => name)
      .filter((name) => /^[a-z]+\.[a-z_]+$/.test(name));

  /** A key of the organization in the path whose account has every permission that a role can have. */
  const keyOf = async (scopes: string[] | null) => {
    const { organization_id, user_id } = stage.callers.owner!;
    return (await insertKey(app, { organization_id, created_by: user_id, permissions: GRANTABLE, scopes })).key;
  };
  const expectWithKey = async (row: AccessRow, key: string, expected: string) => {
    const { outcome } = await walkWithKey(app, stage, routeOf(row), { key });
    expect([nameOf(row), outcome]).toEqual([nameOf(row), expected]);
  };

  it('every route returns the status of its last column to a key with all permissions, and to its token', async () => {
    const key = await keyOf(null);
    const token = (await exchange(app, key)).json.access_token;
    for (const row of ACCESS_TABLE) {
      for (const credential of [key, token]) await expectWithKey(row, credential, outcomeOf(row.kinds.machine));
    }
    stage = await setStage(app);
  });

  it('a route admits a key with only the scope that the route needs, and no key with all other scopes', async () => {
    for (const scope of GRANTABLE) {
      const [only, others] = [await keyOf([scope]), await keyOf(GRANTABLE.filter((other) => other !== scope))];
      for (const row of rows.filter(({ kinds }) => kinds.machine !== '403')) {
        const needed = permissionsFor(row);
        if (needed.includes(scope)) await expectWithKey(row, others, '403 forbidden');
        // A role write needs the permissions of the roles too, so a right scope may still be rejected.
        const isAdmitted = row.method === 'GET' && needed.every((name) => name === scope);
        if (isAdmitted) await expectWithKey(row, only, outcomeOf(row.kinds.machine));
      }
    }
  });

  it('another organization in the path is 403, with the same body whether or not it exists', async () => {
    const key = await keyOf(null);
    const texts = new Set<string>();
    for (const row of rows.filter(({ path, kinds }) => path.includes(':org_id') && kinds.machine !== '403')) {
      for (const org_id of [stage.elsewhere, NOWHERE]) {
        const { outcome, text } = await walkWithKey(app, stage, routeOf(row), { key, org_id });
        expect([nameOf(row), outcome]).toEqual([nameOf(row), '403 forbidden']);
        texts.add(text);
      }
    }
    expect(texts.size).toBe(1);
  });
});

describe('kinds of session that a route admits only by name', () => {
  const CHANGES: Readonly<Record<Exclude<Kind, 'machine'>, (session_id: string) => Promise<unknown>>> = {
    sso: (session_id) => bindSession(app, session_id, uuid()),
    restricted: async (session_id) => {
      await setSession(app, session_id, { restricted: true });
      await app.deps.sessions.reload(session_id);
    },
    outside: async (session_id) => {
      await givePolicy(app, stage.home, { allowed_networks: ['192.0.2.1'] });
      await app.deps.sessions.reload(session_id);
    },
  };

  it.each(Object.entries(CHANGES))('every route returns the status of its column %s', async (kind, make) => {
    stage = await setStage(app);
    await make(stage.callers.owner!.session_id);
    for (const row of ACCESS_TABLE) {
      const [[, { outcome, changed }]] = (await walk(row, {}, ['owner'])) as [[CallerKind, Outcome]];
      expect([nameOf(row), outcome]).toEqual([nameOf(row), outcomeOf(row.kinds[kind as Kind])]);
      if (changed) await make(stage.callers.owner!.session_id);
    }
    stage = await setStage(app);
  });
});

describe('HEAD', () => {
  it('returns the same status as GET, without a body', async () => {
    for (const row of ACCESS_TABLE.filter((each) => !isWrite(each))) {
      const answers = await walk({ ...row, method: 'HEAD' }, {}, SOME_CALLERS);
      for (const [kind, { outcome, text }] of answers) {
        const [status] = outcomeOf(row.cells[CALLERS.indexOf(kind)]!).split(' ');
        expect([nameOf(row), kind, outcome, text]).toEqual([nameOf(row), kind, status, '']);
      }
    }
  });
});

describe('§5.3 the access table by cookie', () => {
  const expectByCookie = async (row: AccessRow, by: 'cookie' | 'cookie without CSRF', isRejected = false) => {
    const expected = SOME_CALLERS.map((kind) => [
      kind,
      isRejected && SIGNED_IN.includes(kind) ? '403 csrf_failed' : outcomeOf(row.cells[CALLERS.indexOf(kind)]!),
    ]);
    expect(outcomes(await walk(row, { by }, SOME_CALLERS))).toEqual(Object.fromEntries(expected));
  };

  it.each(named(ACCESS_TABLE.filter(isWrite)))(
    '%s without the CSRF header is 403 csrf_failed for signed-in callers if the endpoint takes a session',
    (_, row) => expectByCookie(row, 'cookie without CSRF', takesSession(row)),
  );

  it.each(named(ACCESS_TABLE.filter(takesSession)))(
    '%s with the CSRF header, or as a read, returns the status in its row',
    (_, row) => expectByCookie(row, 'cookie'),
  );
});

describe('another organization in the path', () => {
  const rows = ACCESS_TABLE.filter(({ path }) => path.includes(':org_id'));
  const callers = ['member', 'owner', 'platform owner, verified'] as const;

  it.each(named(rows))(
    '%s is 403 for another organization, with the same body whether or not that organization exists',
    async (_, row) => {
      const there = await walk(row, { org_id: stage.elsewhere }, callers);
      const nowhere = await walk(row, { org_id: NOWHERE }, callers);
      expect(new Set([...there, ...nowhere].map(([, { outcome }]) => outcome))).toEqual(new Set(['403 forbidden']));
      expect(new Set([...there, ...nowhere].map(([, { text }]) => text)).size).toBe(1);
    },
  );

  it('another organization is 403 even if the caller is a member of it, because a session belongs to one', async () => {
    const { user_id } = stage.callers.owner!;
    const membership = { organization_id: stage.elsewhere, user_id, role: 'owner' as const };
    await app.deps.db
      .insertInto('memberships')
      .values({ ...membership, joined_at: app.clock.now(), revoked_at: null })
      .execute();
    for (const row of rows) {
      const answers = outcomes(await walk(row, { org_id: stage.elsewhere }, ['owner']));
      expect([nameOf(row), answers]).toEqual([nameOf(row), { owner: '403 forbidden' }]);
    }
  });
});

describe('§4.10 GET /admin/audit-export without the entitlement', () => {
  it('is 402 for every signed-in caller, whatever their role', async () => {
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

describe('sessions that are no longer valid', () => {
  /** The column `ended session` checks revoked sessions. */
  const ENDINGS: Readonly<Record<string, (user_id: string, organization_id: string) => Promise<unknown>>> = {
    'disabled user': (id) => setUser(app, id, { status: 'disabled' }),
    'deleted user': (id) => setUser(app, id, { status: 'deleted' }),
    'suspended organization': (_, organization_id) => suspendOrganization(app, organization_id),
    'removed member': (id) =>
      app.deps.db.updateTable('memberships').set({ revoked_at: app.clock.now() }).where('user_id', '=', id).execute(),
    'expired session': (id) =>
      app.deps.db.updateTable('sessions').set({ expires_at: app.clock.now() }).where('user_id', '=', id).execute(),
  };

  it('a session of a disabled or deleted user, a removed member or a suspended organization is 401, and so is an expired one', async () => {
    const verified = { aal: 'aal2', mfa_verified_at: app.clock.now() } as const;
    const ended = Object.entries(ENDINGS).map(async ([kind, end]) => {
      const owner = await insertSession(app, { platform_role: 'owner', ...verified });
      const reached = { ...stage, callers: { ...stage.callers, owner }, home: owner.organization_id };
      const outcomeAt = async (row: AccessRow) => (await walkAs(app, reached, routeOf(row), 'owner')).outcome;
      expect(await outcomeAt(ACCESS_TABLE.find(({ route }) => route === 'GET /auth/session')!)).toBe('200');
      await end(owner.user_id, owner.organization_id);
      await app.deps.sessions.reload(owner.session_id);
      return { kind, outcomeAt };
    });
    // Each endpoint is asked with one of the sessions.
    for (const [index, row] of ACCESS_TABLE.filter(needsSession).entries()) {
      const { kind, outcomeAt } = await ended[index % ended.length]!;
      expect([nameOf(row), kind, await outcomeAt(row)]).toEqual([nameOf(row), kind, '401 authentication_required']);
    }
  });

  it('a write that passes the guards after its session was revoked returns 401', async () => {
    const others: string[] = [];
    for (const row of ACCESS_TABLE.filter((each) => isWrite(each) && /^\/(orgs\/|admin)/.test(each.path))) {
      const owner = await insertSession(app, { platform_role: 'owner', aal: 'aal2', mfa_verified_at: app.clock.now() });
      const reached = { ...stage, callers: { ...stage.callers, owner }, home: owner.organization_id };
      await app.deps.sessions.find(owner.session_id);
      // The session stays in the cache, as on a server that has not received the revocation yet.
      await setSession(app, owner.session_id, { revoked_at: app.clock.now() });
      const { outcome } = await walkAs(app, reached, routeOf(row), 'owner');
      if (!/^(401|400 invalid_input)/.test(outcome)) others.push(`${nameOf(row)} ${outcome}`);
    }
    expect(others).toEqual([
      // An unknown id is rejected before the transaction; a preview writes nothing.
      'POST /orgs/:org_id/invitations/:id/resend 404 not_found',
      'POST /orgs/:org_id/policy/preview 200',
      'POST /orgs/:org_id/domains/:id/verify 404 not_found',
      'POST /orgs/:org_id/sso-connections/:id/test 404 not_found',
      // This writes nothing.
      'POST /admin/integrations/:provider/test 200',
    ]);
  });
});
