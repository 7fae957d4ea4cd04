import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { createCsrfToken } from '../src/http/csrf.ts';
import { fullPath, type Route } from '../src/http/route.ts';
import { type AccessRow, CALLERS, type CallerKind, isWrite } from './access-table.ts';
import { newEmail } from './browser.ts';
import { insertSession, type TestApp } from './harness.ts';
import { setSession } from './records.ts';

type InsertedSession = Awaited<ReturnType<typeof insertSession>>;

export interface Stage {
  readonly callers: Readonly<Record<CallerKind, InsertedSession | undefined>>;
  /** The organization in the path. */
  readonly home: string;
  /** An organization that none of the callers belongs to. */
  readonly elsewhere: string;
}

/** Creates new callers and removes the platform roles of all other users. */
export async function setStage(app: TestApp): Promise<Stage> {
  await app.deps.db.updateTable('users').set({ platform_role: null }).where('platform_role', 'is not', null).execute();
  const verified = { aal: 'aal2', mfa_verified_at: app.clock.now() } as const;
  const owner = await insertSession(app);
  const { organization_id } = owner;
  const [ended, member, admin, other, viewer, operator, verifiedOperator, chief, outsider] = await Promise.all([
    insertSession(app, { organization_id, role: 'member' }),
    insertSession(app, { organization_id, role: 'member' }),
    insertSession(app, { organization_id, role: 'admin' }),
    insertSession(app),
    insertSession(app, { platform_role: 'viewer' }),
    insertSession(app, { platform_role: 'admin' }),
    insertSession(app, { platform_role: 'admin', ...verified }),
    insertSession(app, { platform_role: 'owner', ...verified }),
    insertSession(app),
  ]);
  await setSession(app, ended.session_id, { revoked_at: app.clock.now() });
  // Autovacuum would do this only a minute later. Until then the plans would scan the rows of all earlier stages.
  await sql`analyze users, organizations, memberships, sessions`.execute(app.deps.db);
  const callers = {
    anonymous: undefined,
    'ended session': ended,
    member,
    admin,
    owner,
    'owner of another organization': other,
    'platform viewer': viewer,
    'platform admin': operator,
    'platform admin, verified': verifiedOperator,
    'platform owner, verified': chief,
  };
  return { callers, home: organization_id, elsewhere: outsider.organization_id };
}

/** The caller whose id a row names. */
const OWNERS_OF_IDS: Readonly<Record<string, CallerKind>> = {
  member: 'member',
  owner: 'owner',
  elsewhere: 'owner of another organization',
  'platform-owner': 'platform owner, verified',
};

interface Manner {
  readonly by?: 'bearer' | 'cookie' | 'cookie without CSRF';
  /** Replaces the organization in the path. */
  readonly org_id?: string;
  /** A server in another process. Default: the service in this process. */
  readonly url?: string | undefined;
}

export interface Outcome {
  /** Status and error code: `403 forbidden`, or `200`. */
  readonly outcome: string;
  readonly text: string;
  readonly changed: boolean;
}

export async function walkAs(
  app: TestApp,
  stage: Stage,
  { row, route }: { row: AccessRow; route: Route },
  kind: CallerKind,
  { by = 'bearer', org_id = stage.home, url }: Manner = {},
): Promise<Outcome> {
  const caller = stage.callers[kind];
  const idOf = (whose = ''): string => {
    const meant = OWNERS_OF_IDS[whose];
    return (whose === 'self' ? caller : meant && stage.callers[meant])?.user_id ?? uuid();
  };
  const named: Record<string, string> = {
    org_id,
    provider: 'oauth_a',
    file: 'none.webp',
    flag_key: 'none',
    name: 'notes.approve',
  };
  const path = row.path.replaceAll(/:(\w+)(?:=([a-z-]+))?/g, (_, name, whose) => named[name] ?? idOf(whose));
  const body = (row.body ?? '{}').replaceAll('@new', () => newEmail()).replaceAll('@home', stage.home);
  const { status, text } = await ask(app, url, {
    method: row.method,
    path: fullPath(app.deps.config.ROUTE_PREFIX, { ...route, path }),
    headers: {
      ...(caller && credentials(app, caller, by)),
      ...(route.bodyKind === 'json' && { 'content-type': 'application/json' }),
    },
    ...(route.bodyKind === 'json' && { body }),
  });
  const code = text !== '' && status >= 400 ? ` ${codeIn(text)}` : '';
  return { outcome: `${status}${code}`, text, changed: status < 300 && isWrite(row) };
}

export const walkWithKey = (
  app: TestApp,
  stage: Stage,
  target: { row: AccessRow; route: Route },
  { key, org_id }: { key: string; org_id?: string },
): Promise<Outcome> => {
  const callers = { ...stage.callers, anonymous: { ...stage.callers.owner!, user_id: uuid(), access_token: key } };
  return walkAs(app, { ...stage, callers }, target, 'anonymous', org_id === undefined ? {} : { org_id });
};

/** The codes of the specification for those of RFC 6749 and RFC 6750, which endpoints below `/oauth` send. */
const OAUTH_CODES: Readonly<Record<string, string>> = {
  invalid_request: 'invalid_input',
  invalid_client: 'authentication_required',
  invalid_token: 'authentication_required',
};

function codeIn(text: string): string {
  if (text.startsWith('<!doctype html>')) return 'invalid_input';
  const { error } = JSON.parse(text);
  return OAUTH_CODES[error] ?? error.code;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

async function ask(
  { server }: TestApp,
  url: string | undefined,
  { method, path, headers, body }: Asked,
): Promise<{ status: number; text: string }> {
  const sent = { headers, ...(body !== undefined && { body }) };
  if (url !== undefined) {
    const answer = await fetch(url + path, { method, redirect: 'manual', ...sent });
    return { status: answer.status, text: await answer.text() };
  }
  const { statusCode: status, body: text } = await server.inject({ method: method as 'GET', url: path, ...sent });
  return { status, text };
}

function credentials({ deps }: TestApp, caller: InsertedSession, by: Manner['by']): Record<string, string> {
  if (by === 'bearer') return { authorization: `Bearer ${caller.access_token}` };
  const csrf = createCsrfToken(deps.keyring, caller.session_id);
  return {
    cookie: `service_at=${caller.access_token}; service_csrf=${csrf}`,
    ...(by === 'cookie' && { 'x-service-csrf': csrf }),
  };
}

export const byCaller = <T>(of: (kind: CallerKind, index: number) => T): Record<CallerKind, T> =>
  Object.fromEntries(CALLERS.map((kind, index) => [kind, of(kind, index)])) as Record<CallerKind, T>;
