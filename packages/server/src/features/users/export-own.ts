import { type AccountExport, LIMITS } from '@gatehouse/contract';
import { describeAuditRow } from '../../domain/audit/describe.ts';
import { listEventsOfActor } from '../../domain/audit/queries.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import { readAuth, requireFreshAuth } from '../../domain/authorization/fresh-auth.ts';
import type { Deps } from '../../domain/context.ts';
import { describeInvitation } from '../../domain/invitations/describe.ts';
import { listInvitationsOf } from '../../domain/invitations/queries.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import { notSignedIn, tooMany } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { listMembershipRecords } from '../../domain/memberships/queries.ts';
import { listConsentRecords } from '../../domain/oauth-server/consents/queries.ts';
import { listPasskeyRecords } from '../../domain/passkeys/queries.ts';
import { listSessionRecords } from '../../domain/sessions/queries.ts';
import { listSsoIdentities } from '../../domain/sso/identities/queries.ts';
import { listBrowserRecords } from '../../domain/trusted-browsers/queries.ts';
import { listIdentityRecords } from '../../domain/upstream/queries.ts';
import { describeUser } from '../../domain/users/describe.ts';
import { findUserRecord, lockActiveUser } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';

/**
 * docs/reference/accounts.md#deletion-and-export: POST /users/me/export: every record of this user, without secrets, as
 * JSON text. A test compares the records with all tables: `export-own.test.ts`.
 */
export async function exportOwnData(deps: Deps, caller: Caller, session: SessionState): Promise<string> {
  const { user_id } = session;
  const counter = deps.limiter.counter('account exports', user_id, deps.config.LIMIT_EXPORTS_PER_USER);
  const { allowed, retryAfter } = await deps.limiter.hit(counter);
  if (!allowed) throw tooMany(retryAfter);
  await recordExport(deps, caller, session);
  const now = deps.clock.now();
  const user = await findUserRecord(deps.db, user_id);
  if (!user) throw notSignedIn();
  const records = JSON.stringify({
    exported_at: now.toISOString(),
    user: describeUser(deps.config, user),
    ...(await listRecords(deps, user_id)),
  });
  // Someone who does not own the mailbox may have registered the address: they must not learn who invited it.
  const verified_email = user.email_verified_at === null ? null : user.email;
  const invitations = await writeList(async (before: string | undefined, limit) => {
    const rows = await listInvitationsOf(deps.db, { user_id, verified_email, now, before, limit });
    return rows.map(describeInvitation);
  });
  const ofSessions = (ended: boolean) =>
    writeList((before: string | undefined, limit) => listSessionRecords(deps.db, { user_id, ended, before, limit }));
  const sessions = [...(await ofSessions(false)), ...(await ofSessions(true))];
  const audit_logs = await writeList(async (before: number | undefined, limit) => {
    const rows = await listEventsOfActor(deps.db, { actor_id: user_id, before, limit });
    return rows.map(describeAuditRow);
  }, LIMITS.exportedEvents);
  return `${records.slice(0, -1)},"invitations":[${invitations.join()}],"sessions":[${sessions.join()}],"audit_logs":[${audit_logs.join()}]}`;
}

/** Recorded before anything is read: every export has an audit row, which is also in the export. */
const recordExport = (deps: Deps, caller: Caller, session: SessionState): Promise<void> =>
  transact(deps.db, async (tx) => {
    const now = deps.clock.now();
    const { user_id } = session;
    if (!(await lockActiveUser(tx, user_id))) throw notSignedIn();
    const current = await readAuth(tx, session, now);
    requireFreshAuth(deps, current.session, current.owner);
    const about = { now, resource_type: 'user', resource_id: user_id, metadata: {} } as const;
    await recordAudit(tx, caller, { ...about, action: 'user.exported' });
  });

/** Lists the kinds of records of which a user has few, without paging. */
async function listRecords(
  { config, db }: Deps,
  user_id: string,
): Promise<
  Pick<
    AccountExport,
    'memberships' | 'passkeys' | 'identities' | 'sso_identities' | 'trusted_browsers' | 'applications'
  >
> {
  return {
    memberships: (await listMembershipRecords(db, user_id)).map(written),
    passkeys: (await listPasskeyRecords(db, user_id, relyingPartyOf(config))).map(written),
    identities: (await listIdentityRecords(db, user_id)).map(written),
    sso_identities: (await listSsoIdentities(db, user_id)).map(written),
    trusted_browsers: (await listBrowserRecords(db, user_id)).map(written),
    applications: (await listConsentRecords(db, user_id)).map(({ grants, ...consent }) => ({
      ...written(consent),
      scopes: [...consent.scopes],
      grants: grants.map((grant) => ({
        ...grant,
        scopes: [...grant.scopes],
        created_at: timeOf(grant.created_at),
        last_used_at: grant.last_used_at && timeOf(grant.last_used_at),
        ended_at: grant.ended_at && timeOf(grant.ended_at),
      })),
    })),
  };
}

/** Converts a timestamp in the JSON of PostgreSQL, whose format differs, to ISO 8601. */
const timeOf = (time: string): string => new Date(time).toISOString();

type Written<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K] };

const written = <T extends object>(row: T): Written<T> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  ) as Written<T>;

const PAGE_ROWS = 500;

/** Returns the JSON of each row. Reads them in pages, so that the event loop is never blocked for long. */
async function writeList<Id>(
  read: (before: Id | undefined, limit: number) => Promise<{ id: Id }[]>,
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const lines: string[] = [];
  for (let before: Id | undefined; lines.length < most; ) {
    const limit = Math.min(PAGE_ROWS, most - lines.length);
    const rows = await read(before, limit);
    for (const row of rows) lines.push(JSON.stringify(row));
    if (rows.length < limit) break;
    before = rows.at(-1)!.id;
  }
  return lines;
}
