import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditAction } from '@gatehouse/contract';
import { type KyselyPlugin, PostgresQueryCompiler, type Selectable, sql, type Updateable } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import { after } from '../src/platform/clock.ts';
import { hashToken, randomToken } from '../src/platform/crypto/tokens.ts';
import type { Db, Tx } from '../src/platform/db/connect.ts';
import type {
  Memberships,
  OneTimeTokens,
  Schema,
  Sessions,
  TrustedBrowsers,
  Users,
} from '../src/platform/db/schema.ts';
import type { TestDatabase } from './database.ts';
import type { TestApp } from './harness.ts';
import { TIMEOUT_MS } from './timeouts.ts';

/** Where a test reads and writes rows: a service in this process, or only a database. */
type Place = TestApp | TestDatabase;

const dbOf = (place: Place): Db => ('deps' in place ? place.deps.db : place.db);

export const findUser = (place: Place, id: string) =>
  dbOf(place).selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Updates the row directly: the service keeps what it has cached about the user. */
export const setUser = (place: Place, id: string, changes: Updateable<Users>) =>
  dbOf(place).updateTable('users').set(changes).where('id', '=', id).execute();

interface AuditFilter {
  readonly actor_id?: string;
  readonly resource_id?: string;
  readonly action?: AuditAction | readonly AuditAction[];
}

export function auditOf(place: Place, { actor_id, resource_id, action }: AuditFilter = {}) {
  let rows = dbOf(place).selectFrom('audit_events').selectAll().orderBy('id');
  if (actor_id !== undefined) rows = rows.where('actor_id', '=', actor_id);
  if (resource_id !== undefined) rows = rows.where('resource_id', '=', resource_id);
  if (action !== undefined) rows = rows.where('action', 'in', [action].flat());
  return rows.execute();
}

export const findSession = (place: Place, id: string) =>
  dbOf(place).selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

export const setSession = (place: Place, id: string, changes: Updateable<Sessions>) =>
  dbOf(place).updateTable('sessions').set(changes).where('id', '=', id).execute();

/** Makes a session one of this connection, as if single sign-on had opened it. */
export const bindSession = (place: Place, id: string, connection_id: string) =>
  sql`update sessions set connection_id = ${connection_id}, first_factor = 'sso', auth_method = 'sso'
    where id = ${id}`.execute(dbOf(place));

/** Sets the sign-in time of a session, which the service itself never changes. */
export const setAuthTime = (place: Place, id: string, auth_time: Date) =>
  sql`update sessions set auth_time = ${auth_time} where id = ${id}`.execute(dbOf(place));

const sessionsOf = (place: Place, user_id: string) =>
  dbOf(place).selectFrom('sessions').select('id').where('user_id', '=', user_id);

/** The ids of sessions that are not revoked, including expired ones. */
export const liveSessions = async (place: Place, user_id: string): Promise<string[]> =>
  (await sessionsOf(place, user_id).where('revoked_at', 'is', null).execute()).map(({ id }) => id);

/** Counts all sessions, including ended ones. */
export const countSessions = async (place: Place, user_id: string): Promise<number> =>
  (await sessionsOf(place, user_id).execute()).length;

export const revocationsOf = (place: Place, sid: string) =>
  dbOf(place).selectFrom('revocations').selectAll().where('sid', '=', sid).execute();

type Kind = OneTimeTokens['kind'];

export const oneTimeTokensOf = (place: Place, user_id: string, kind: Kind) =>
  dbOf(place)
    .selectFrom('one_time_tokens')
    .selectAll()
    .where('subject', '=', user_id)
    .where('kind', '=', kind)
    .execute();

/** Replaces a mailed token with a known one and returns it, so that a test need not wait for the mail. */
export async function knowToken(place: Place, user_id: string, kind: Kind): Promise<string> {
  const token = randomToken();
  const { numUpdatedRows } = await dbOf(place)
    .updateTable('one_time_tokens')
    .set({ token_hash: hashToken(token) })
    .where('subject', '=', user_id)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  expect(numUpdatedRows, kind).toBe(1n);
  return token;
}

export async function knowInvitation(place: Place, id: string): Promise<string> {
  const token = randomToken();
  const { numUpdatedRows } = await dbOf(place)
    .updateTable('invitations')
    .set({ token_hash: hashToken(token) })
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(numUpdatedRows, id).toBe(1n);
  return token;
}

export async function kindsOf(place: Place, user_id: string): Promise<Kind[]> {
  const rows = await dbOf(place).selectFrom('one_time_tokens').select('kind').where('subject', '=', user_id).execute();
  return rows.map(({ kind }) => kind).sort();
}

interface Joining extends Partial<Omit<Selectable<Memberships>, 'organization_id' | 'user_id'>> {
  readonly name?: string;
  readonly suspended_at?: Date;
}

export async function join(
  { deps, clock }: TestApp,
  user_id: string,
  { name = 'Other', suspended_at, ...membership }: Joining = {},
): Promise<string> {
  const id = uuid();
  await deps.db
    .insertInto('organizations')
    .values({ id, name, slug: `org-${id}`, created_at: clock.now(), suspended_at: suspended_at ?? null })
    .execute();
  await deps.db
    .insertInto('memberships')
    .values({
      organization_id: id,
      user_id,
      role: 'member',
      joined_at: clock.now(),
      revoked_at: null,
      ...membership,
    })
    .execute();
  return id;
}

export const suspendOrganization = ({ deps, clock }: TestApp, id: string) =>
  deps.db.updateTable('organizations').set({ suspended_at: clock.now() }).where('id', '=', id).execute();

export const endMemberships = ({ deps, clock }: TestApp, user_id: string) =>
  deps.db.updateTable('memberships').set({ revoked_at: clock.now() }).where('user_id', '=', user_id).execute();

/** Returns the value of its cookie. The trusted browser expires after an hour by default. */
export async function trustBrowser(
  { deps, clock }: TestApp,
  user_id: string,
  changes: Partial<Pick<Selectable<TrustedBrowsers>, 'expires_at' | 'revoked_at' | 'token_hash'>> = {},
): Promise<string> {
  const token = randomToken();
  const created_at = clock.now();
  await deps.db
    .insertInto('trusted_browsers')
    .values({
      id: uuid(),
      user_id,
      token_hash: hashToken(token),
      name: 'Browser',
      user_agent: null,
      created_at,
      last_used_at: null,
      expires_at: after(created_at, 3600),
      revoked_at: null,
      ...changes,
    })
    .execute();
  return `service_trust=${token}`;
}

type Table = keyof Schema;

export async function countingRows<T, N extends Table>(
  place: Place,
  tables: readonly N[],
  work: () => Promise<T>,
): Promise<{ result: T; rows: Record<N, number> }> {
  const before = await countRows(place, tables);
  const result = await work();
  const after = await countRows(place, tables);
  const rise = tables.map((table) => [table, after[table] - before[table]]);
  return { result, rows: Object.fromEntries(rise) };
}

async function countRows<N extends Table>(place: Place, tables: readonly N[]): Promise<Record<N, number>> {
  const counts: [string, number][] = [];
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      dbOf(place),
    );
    counts.push([table, rows[0]!.count]);
  }
  return Object.fromEntries(counts) as Record<N, number>;
}

type Release = (change?: (tx: Tx) => Promise<unknown>) => Promise<unknown>;

/** Locks the user's row, as a concurrent change would. The returned function makes the change, if any, and commits. */
export async function lockUserRow({ deps }: TestApp, id: string): Promise<Release> {
  const blocker = await deps.db.startTransaction().execute();
  await blocker.selectFrom('users').select('id').where('id', '=', id).forUpdate().execute();
  return async (change) => {
    await change?.(blocker);
    return blocker.commit().execute();
  };
}

interface Waiting {
  readonly child: { readonly exitCode: number | null; readonly signalCode: string | null };
  output(): string;
}

/** Waits until `count` connections wait for a lock. If the program exits earlier, throws with its output. */
export async function untilBlocked(place: Place, count: number, program?: Waiting): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; (await countBlocked(place)) !== count; await sleep(20)) {
    if (program && (program.child.exitCode ?? program.child.signalCode) !== null)
      throw new Error(`it has ended:\n${program.output()}`);
    if (performance.now() > end) throw new Error(`not ${count}, but ${await countBlocked(place)} wait for a lock`);
  }
}

async function countBlocked(place: Place): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(dbOf(place));
  return rows[0]!.count;
}

/** Runs `work` and returns the texts of all statements that use cases ran in the meantime. */
export async function recorded<T>(
  { deps }: TestApp,
  work: () => Promise<T>,
): Promise<{ result: T; statements: string[] }> {
  const statements: string[] = [];
  const compiler = new PostgresQueryCompiler();
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.push(compiler.compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const open = deps as { db: Db };
  const plain = open.db;
  const recording = plain.withPlugin(plugin);
  // Statements of `compileOnce` pass no plugin.
  const executeQuery: Db['executeQuery'] = recording.executeQuery.bind(recording);
  recording.executeQuery = (query, ...rest) => {
    if ('sql' in query) statements.push(query.sql);
    return executeQuery(query, ...rest);
  };
  open.db = recording;
  const result = await work().finally(() => {
    open.db = plain;
  });
  return { result, statements };
}

/** Runs `act` once, right before the next statement that inserts a session: after the credentials were checked. */
export function beforeSessionOpens({ deps: { db } }: TestApp, act: () => Promise<unknown>): void {
  const getExecutor = db.getExecutor.bind(db);
  const executor = getExecutor();
  const executeQuery: typeof executor.executeQuery = async (query, ...rest) => {
    if (query.sql.includes('insert into sessions')) {
      db.getExecutor = getExecutor;
      await act();
    }
    return executor.executeQuery(query, ...rest);
  };
  db.getExecutor = () =>
    new Proxy(executor, {
      get(target, name) {
        if (name === 'executeQuery') return executeQuery;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
}
