import type { SsoConnection, SsoConnectionChange } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { distinctIds, lockRoles } from '../../domain/authorization/assign-roles.ts';
import { transactAs } from '../../domain/authorization/transact-as.ts';
import type { Deps } from '../../domain/context.ts';
import { endConnectionSessions } from '../../domain/endings/end-connection-sessions.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import {
  type ConnectionRow,
  findConnectionForUpdate,
  listConnectionRoles,
  unlinkAll,
  updateConnection,
  updateConnectionRoles,
} from '../../domain/sso/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { aboutConnection, noSuchConnection } from './describe.ts';
import { readConnection } from './list.ts';
import { lockPolicy, requireRemaining, sessionOf } from './required-sign-on.ts';
import { checkedIssuer, domainNames, replaceDomains, requireRoles, sealGiven } from './rules.ts';

type Change = SsoConnectionChange & { readonly id: string };

/**
 * PATCH …/:id. A change of issuer, client or secret makes the connection a draft, which must be tested again, and ends
 * its sessions; so does the loss of a domain, without making it a draft. A change of the issuer unlinks all accounts.
 * Unchanged fields are neither written nor audited.
 */
export function changeConnection(deps: Deps, caller: Caller, { id, ...change }: Change): Promise<SsoConnection> {
  const session = sessionOf(caller);
  const { organization_id } = session;
  const now = deps.clock.now();
  const prepared = prepare(deps, { id, ...change });

  const locks = async (tx: Tx) => {
    await lockRoles(tx, organization_id);
    return lockPolicy(tx, session);
  };
  return transactAs({ deps, caller }, { locks }, async (tx, { member, locked }) => {
    const before = await findConnectionForUpdate(tx, { id, organization_id });
    if (!before || before.deleted_at !== null) throw noSuchConnection();
    if (prepared.role_ids) await requireRoles(tx, member, prepared.role_ids);

    const after = changed(before, prepared);
    const fields: string[] = FIELDS.filter((field) => after[field] !== before[field]);
    const isOtherProvider = SETTINGS.some((field) => after[field] !== before[field]);
    if (isOtherProvider) await updateConnection(tx, id, { ...after, active: false, tested_at: null, last_test: null });
    else if (fields.length > 0) await updateConnection(tx, id, after);
    // OpenID Connect Core 1.0, section 2: a subject is unique within its issuer only.
    if (after.issuer !== before.issuer) await unlinkAll(tx, id);
    const domains = prepared.domains && (await replaceDomains(tx, before, prepared.domains));
    if (domains?.added || domains?.removed) fields.push('domains');
    if (prepared.role_ids && (await replaceRoles(tx, id, prepared.role_ids))) fields.push('role_ids');

    const isReduced = isOtherProvider || domains?.removed === true;
    if (isReduced) await requireRemaining(tx, locked, before);
    const sessions = isReduced ? await endConnectionSessions(tx, deps, before, now) : 0;
    if (fields.length > 0) {
      const { issuer, client_id } = after;
      const metadata = { fields: fields.map(nameOf), issuer, client_id, sessions };
      await recordAudit(tx, caller, { action: 'sso.connection.updated', now, ...aboutConnection(before), metadata });
    }
    return readConnection(deps, before, tx);
  });
}

const SETTINGS = ['issuer', 'client_id', 'sealed_secret'] as const;
const FIELDS = ['name', ...SETTINGS, 'create_members', 'default_role', 'trust_idp_mfa'] as const;

const nameOf = (field: string): string => (field === 'sealed_secret' ? 'client_secret' : field);

const prepare = (deps: Deps, { id, client_secret, ...change }: Change) => ({
  ...change,
  name: change.name?.trim(),
  issuer: change.issuer === undefined ? undefined : checkedIssuer(deps, change.issuer),
  /** Undefined if the request contains no secret. */
  sealed_secret: client_secret === undefined ? undefined : sealGiven(deps, id, client_secret),
  domains: change.domains && domainNames(change.domains),
  role_ids: change.role_ids && distinctIds(change.role_ids),
});

/** A new issuer clears the secret, so that a secret is never sent to another issuer. */
function changed(before: ConnectionRow, { sealed_secret, ...change }: ReturnType<typeof prepare>) {
  const issuer = change.issuer ?? before.issuer;
  const kept = issuer === before.issuer ? before.sealed_secret : null;
  return {
    name: change.name ?? before.name,
    issuer,
    client_id: change.client_id ?? before.client_id,
    sealed_secret: sealed_secret === undefined ? kept : sealed_secret,
    create_members: change.create_members ?? before.create_members,
    default_role: change.default_role ?? before.default_role,
    trust_idp_mfa: change.trust_idp_mfa ?? before.trust_idp_mfa,
  };
}

/** Returns whether the roles have changed. */
async function replaceRoles(tx: Tx, id: string, role_ids: readonly string[]): Promise<boolean> {
  const before = (await listConnectionRoles(tx, id)).map((role) => role.id);
  if (before.length === role_ids.length && before.every((role_id) => role_ids.includes(role_id))) return false;
  await updateConnectionRoles(tx, id, role_ids);
  return true;
}
