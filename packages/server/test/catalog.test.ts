import { describe, expect, it } from 'vitest';
import { featuresOf } from '../src/app.ts';
import { web } from '../src/features/pages/routes.ts';
import { guardsOf } from '../src/http/admission.ts';
import { fullPath, type Route } from '../src/http/route.ts';
import { loadConfig } from '../src/platform/config/load.ts';
import { ACCESS_TABLE } from './access-table.ts';
import { SECRET, startTestApp } from './harness.ts';
import { readCatalog } from './spec-tables.ts';

const config = (environment = {}) =>
  loadConfig({ JWT_SECRET: SECRET, PUBLIC_BASE_URL: 'http://localhost:8080', NODE_ENV: 'production', ...environment });

/** Endpoints that only the access table lists, and the pages. `/dev` does not exist in production. */
const ADDITIONS = new Set([
  ...web.routes.map(({ path }) => `GET ${path}`),
  ...ACCESS_TABLE.map(({ route }) => route).filter((route) => !route.includes(' /dev/')),
]);

/** Guards that a route has in addition to the Auth column of the specification, and the reasons. */
const EXTRA_GUARDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'POST /auth/register': {
    'registration open': 'operators may close registration (docs/reference/accounts.md#registration)',
    'limited registration': 'each registration writes four rows and sends a mail (docs/reference/http.md#limits)',
  },
  'GET /metrics': { 'metrics token': 'operators may close it (docs/reference/operations.md#health-and-discovery)' },
  'GET /admin/integrations': { 'limited integrations': 'specified in §8, not in the Auth column' },
  'PUT /admin/integrations/:provider': { 'limited integrations': 'specified in §8, not in the Auth column' },
  'POST /admin/integrations/:provider/test': {
    'limited integrations': 'specified in §8, not in the Auth column',
  },
  'POST /auth/mfa/setup': {
    'fresh proof': 'an unattended browser must not lock its owner out (docs/reference/mfa.md#endpoints)',
  },
  'POST /auth/mfa/disable': {
    'second factor given': 'a password alone must not switch MFA off (docs/reference/mfa.md#endpoints)',
  },
  'POST /auth/mfa/recovery-codes': {
    'second factor given': 'codes replace the second factor (docs/reference/mfa.md#endpoints)',
  },
  'POST /users/me/passkeys/register/begin': {
    'fresh proof': 'a passkey outlives the session (docs/reference/sign-in.md#adding-a-credential)',
  },
  'POST /users/me/passkeys/register/complete': {
    'fresh proof': 'a passkey outlives the session (docs/reference/sign-in.md#adding-a-credential)',
  },
  'POST /users/me/password': {
    'second factor given': 'with MFA on, a password is not enough (docs/reference/accounts.md#profile)',
  },
  'POST /auth/trusted-browsers': {
    'fresh proof': 'trust outlives the session (docs/reference/mfa.md#trusted-browsers)',
  },
};

const PAGES = new Set([
  'GET /docs',
  'GET /openapi.json',
  'GET /.well-known/webauthn',
  ...ACCESS_TABLE.map(({ route }) => route).filter((route) => / \/(\.well-known\/)?oauth[/-]/.test(route)),
  ...web.routes.map(({ path }) => `GET ${path}`),
]);

const { prefixed, base } = readCatalog();
const routes = featuresOf(config()).flatMap((feature) => feature.routes);
const name = ({ method, path }: { method: string | readonly string[]; path: string }) => `${method} ${path}`;

function guardsFor(auth: string): string[] {
  // The credential is a field of the request, which the use case checks.
  if (auth === 'mfa_token in body' || auth === 'none (token in query)') return ['none'];
  if (auth === 'none or optional session') return ['optional'];
  if (auth === 'none' || auth === 'optional' || auth === 'refresh cookie') return [auth];
  const guards = ['cookie/Bearer', ...[...auth.matchAll(/`([a-z_.]+)`/g)].map((match) => match[1]!)];
  const role = /platform (Viewer|Admin) or higher|platform (admin)/.exec(auth);
  const orSelf = auth.endsWith(' or self') ? ' or self' : '';
  if (role) guards.push(`platform ${role[2] ? 'viewer' : role[1]!.toLowerCase()}${orSelf}`);
  if (auth.includes('role-grant authorization')) guards.push('members.update_role');
  if (auth.includes('MFA step-up')) guards.push('MFA step-up');
  if (auth.includes('AuditExport')) guards.push('entitled AuditExport');
  return guards;
}

describe('§4.1 catalog', () => {
  it('finds at least 60 prefixed endpoints and 6 base paths in the specification', () => {
    expect(prefixed.length).toBeGreaterThanOrEqual(60);
    expect(base).toHaveLength(6);
  });

  it('has every endpoint of the specification', () => {
    const built = new Set(routes.map(name));
    const missing = [...prefixed, ...base].map(name).filter((row) => !built.has(row));
    expect(missing).toEqual([]);
  });

  it('has only endpoints of the specification and known additions', () => {
    const specified = new Set([...prefixed, ...base].map(name));
    expect(routes.map(name).filter((row) => !specified.has(row) && !ADDITIONS.has(row))).toEqual([]);
  });

  it('base paths are at the base address, and all other endpoints below the prefix', () => {
    const atBase = new Set(base.map(name));
    const wrong = routes.filter(
      (route) => Boolean(route.atBase) !== (atBase.has(name(route)) || PAGES.has(name(route))),
    );
    expect(wrong.map(name)).toEqual([]);
  });

  it('each route requires the guards of the Auth column and, besides them, only the listed extras', () => {
    const auth = new Map([...prefixed, ...base].map((row) => [name(row), row.auth]));
    for (const route of routes) {
      const specified = auth.get(name(route));
      if (specified === undefined) continue;
      const asked = guardsOf(route).map((guard) => guard.name);
      const extra = Object.keys(EXTRA_GUARDS[name(route)] ?? {});
      expect(asked.sort(), name(route)).toEqual([...guardsFor(specified), ...extra].sort());
    }
  });

  it('extra guards are listed only for routes of the specification', () => {
    const specified = new Set([...prefixed, ...base].map(name));
    expect(Object.keys(EXTRA_GUARDS).filter((row) => !specified.has(row))).toEqual([]);
  });

  it('each route checks its guards in the documented order', () => {
    const RANK = [
      /^limited /,
      /^(none|optional|refresh cookie|cookie\/Bearer|metrics token)$/,
      /^entitled /,
      /^(platform |registration open$|verified email$|emailed code |[a-z]+\.[a-z_]+$)/,
      /^(MFA step-up|fresh proof|second factor given)$/,
    ];
    for (const route of routes) {
      const ranks = guardsOf(route).map((guard) => RANK.findIndex((pattern) => pattern.test(guard.name)));
      expect(ranks, name(route)).toEqual([...ranks].sort());
      expect(ranks, name(route)).not.toContain(-1);
    }
  });

  it('the routes that require a platform role are those of its administration', () => {
    const isPlatform = ({ access = [] }: Route) => access.some((guard) => guard.isPlatform);
    const isAdministration = ({ path }: Route) => path.startsWith('/admin/') || path === '/audit-logs';
    expect(routes.filter(isPlatform).map(name)).toEqual(routes.filter(isAdministration).map(name));
  });

  it('every route has a summary', () => {
    for (const route of routes) expect(route.summary.length, name(route)).toBeGreaterThan(5);
  });
});

describe('§9.1 the prefix is configurable', () => {
  it.each(['/v1', '/api/id'])('every route is below %s', async (prefix) => {
    const app = await startTestApp({ environment: { ROUTE_PREFIX: prefix } });
    try {
      for (const feature of featuresOf(app.deps.config)) {
        for (const route of feature.routes) {
          const url = fullPath(prefix, route);
          expect(app.server.hasRoute({ method: route.method as 'GET', url }), url).toBe(true);
        }
      }
    } finally {
      await app.close();
    }
  });
});
