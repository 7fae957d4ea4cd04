import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import type { MetadataOf } from '../../domain/audit/events.ts';
import { recordAudit } from '../../domain/audit/record.ts';
import { claimInitialOwner } from '../../domain/authorization/initial-owner.ts';
import type { Deps } from '../../domain/context.ts';
import { markEmailVerified } from '../../domain/endings/verified-email.ts';
import { claim } from '../../domain/invitations/claim.ts';
import { requireOpen } from '../../domain/invitations/open.ts';
import type { OpenInvitation } from '../../domain/invitations/queries.ts';
import {
  acceptedEvent,
  createByInvitation,
  createByRule,
  type JoinRule,
  joinByInvitation,
  joinByRule,
} from '../../domain/joining/join.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { domainOfEmail } from '../../domain/kernel/email-domain.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { shareOrganization } from '../../domain/organizations/queries.ts';
import { policyRefusal, policyRefused } from '../../domain/policy/refusal.ts';
import type { Account } from '../../domain/sign-in/queries.ts';
import type { UsableConnection } from '../../domain/sso/connection.ts';
import { findSsoIdentityOf, insertSsoIdentity } from '../../domain/sso/identities/queries.ts';
import { listConnectionRoles, shareActiveConnection, shareDomain } from '../../domain/sso/queries.ts';
import { Superseded } from '../../domain/upstream/attempts.ts';
import { Failed } from '../../domain/upstream/failure.ts';
import { findUserByEmail, lockActiveUser } from '../../domain/users/queries.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { transact } from '../../platform/db/transact.ts';
import { type Asserted, assuranceOf } from './asserted.ts';
import { findInvitationTo } from './queries.ts';

interface Joining extends Asserted {
  /** The account that the subject is linked to, or that has the asserted email. */
  readonly account: Account | undefined;
  /** Undefined if the subject is linked. */
  readonly email: string | undefined;
  readonly identity_id: string | undefined;
}

interface Joined {
  readonly user_id: string;
  readonly identity_id: string;
}

type JoinedBy = MetadataOf<'auth.sso.linked'>['joined'];

/**
 * Links the subject to the account, and makes its user a member, in one transaction: by a pending invitation, or if the
 * connection creates members. Creates the account if there is none. If the email of the account was not verified,
 * everything unproven is removed.
 */
export async function join(
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  joining: Joining,
): Promise<Joined> {
  const { account } = joining;
  return transact(deps.db, async (tx) => {
    const email = account?.email ?? joining.email!;
    const offer = await findOffer(tx, deps, connection, email);
    const { user_id, how, is_unproven } = account
      ? await joinExisting(tx, deps, caller, connection, { account, offer })
      : await createUser(tx, deps, caller, connection, { ...joining, email, offer });
    // Lock order: users, organization, connection, domain, then the sessions that `markEmailVerified` ends.
    await requirePolicy(tx, deps, caller, connection, joining);
    await requireUnchanged(tx, connection, email);
    if (is_unproven) {
      // A reset would bypass the policy of the connection's organization, which was just checked.
      const disown = { resetPolicies: false, connection_id: connection.id };
      const now = deps.clock.now();
      await markEmailVerified(tx, deps, caller, { user_id, email, now, hasSession: false, disown });
    }
    const identity_id = joining.identity_id ?? (await link(tx, deps, caller, connection, { ...joining, user_id, how }));
    return { user_id, identity_id };
  });
}

/** Throws if the connection was deactivated or lost the domain; `Superseded` if the rules for members have changed. */
async function requireUnchanged(tx: Tx, connection: UsableConnection, email: string): Promise<void> {
  const { id, issuer, create_members, default_role, trust_idp_mfa, role_ids } = connection;
  const now = await shareActiveConnection(tx, id);
  const domain = domainOfEmail(email);
  if (now?.issuer !== issuer || domain === undefined || !(await shareDomain(tx, id, domain))) {
    throw new Failed('account_refused');
  }
  const roles = await listConnectionRoles(tx, id);
  const before = { create_members, default_role, trust_idp_mfa, role_ids };
  const { issuer: _, ...rules } = now;
  if (!isDeepStrictEqual({ ...rules, role_ids: roles.map((role) => role.id) }, before)) throw new Superseded();
}

/** Throws if the organization is suspended or its policy rejects the sign-in. */
async function requirePolicy(
  tx: Tx,
  deps: Deps,
  { ip_address }: Caller,
  connection: UsableConnection,
  { account, email, claims }: Joining,
): Promise<void> {
  const { organization_id, domains } = connection;
  const about = account && { user_id: account.id, organization_id };
  const organization = await shareOrganization(tx, organization_id);
  if (!organization) throw new Failed('account_refused', about);
  const now = deps.clock.now();
  const facts = {
    first_factor: 'sso',
    reach: 'organization',
    aal: assuranceOf(connection, claims),
    auth_time: now,
    trusted_browser: false,
    role: account?.role ?? null,
    email: account?.email ?? email!,
    domains,
    ip_address,
  } as const;
  const rule = policyRefusal(organization.policy, facts, now);
  if (rule === undefined || rule === 'require_mfa') return;
  throw new Failed('account_refused', about, { refusal: policyRefused(rule) });
}

interface Offer {
  readonly token_hash: Buffer;
  readonly invitation: OpenInvitation;
}

/** Consumes the invitation. It may have been accepted by a concurrent sign-in since it was read. */
const claimOffer = (tx: Tx, deps: Deps, offer: Parameters<typeof claim>[2]): Promise<OpenInvitation> =>
  claim(tx, deps, offer).catch((error: unknown) => {
    throw error instanceof ServiceError ? new Superseded() : error;
  });

/** The pending invitation to this address, unless its inviter may no longer invite. */
async function findOffer(
  db: Db,
  deps: Deps,
  { organization_id }: UsableConnection,
  email: string,
): Promise<Offer | undefined> {
  const found = await findInvitationTo(db, { organization_id, email, now: deps.clock.now() });
  if (!found) return undefined;
  const { token_hash } = found;
  try {
    return { token_hash, invitation: await requireOpen(db, deps, token_hash) };
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

interface Linked {
  readonly user_id: string;
  readonly how: JoinedBy;
  /** Whether the email of an existing account was not verified before. */
  readonly is_unproven: boolean;
}

interface Existing {
  readonly account: Account;
  readonly offer: Offer | undefined;
}

async function joinExisting(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  { account, offer }: Existing,
): Promise<Linked> {
  const now = deps.clock.now();
  const { id: user_id, email } = account;
  const key = { organization_id: connection.organization_id, user_id };
  const isMember = account.organization_id !== null;
  // `claimOffer` locks inviter and user in order; without an invitation only the user is locked.
  const claimed = !isMember && offer ? await claimOffer(tx, deps, { ...offer, user_id }) : undefined;
  const user = await lockActiveUser(tx, user_id);
  if (!user || user.email !== email) throw new Superseded();
  const how = claimed
    ? await accept(tx, caller, { invitation: claimed, user_id, now })
    : await joinByRule(tx, ruleOf(connection), { ...key, email, now });
  if (how === undefined) throw new Failed('account_refused', key);
  return { user_id, how, is_unproven: user.email_verified_at === null };
}

async function accept(tx: Tx, caller: Caller, joining: Parameters<typeof joinByInvitation>[2]): Promise<JoinedBy> {
  try {
    await joinByInvitation(tx, caller, joining);
    return 'invitation';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new Failed('account_refused', { user_id: joining.user_id });
  }
}

/** Without `create_members`, only invited users become members. */
const ruleOf = ({ create_members, default_role, role_ids }: UsableConnection): JoinRule | undefined =>
  create_members ? { role: default_role, role_ids } : undefined;

interface NewUser extends Asserted {
  readonly email: string;
  readonly offer: Offer | undefined;
}

/** Creates a user without an own organization. The email is verified, because the organization owns the domain. */
async function createUser(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  { claims, locale, email, offer }: NewUser,
): Promise<Linked> {
  const now = deps.clock.now();
  const { organization_id } = connection;
  const claimed = offer && (await claimOffer(tx, deps, offer));
  const user = { id: uuid(), email, display_name: claims.name, locale, password_hash: null };
  if (claimed) {
    await createByInvitation(tx, { invitation: claimed, user, now });
    const accepted = { user_id: user.id, role: claimed.role, new_user: true, now };
    await recordAudit(tx, caller, acceptedEvent(claimed, accepted));
  } else if (!(await createByRule(tx, ruleOf(connection), { organization_id, user, now }))) {
    // If the account exists now, a concurrent sign-in has accepted the invitation after this one looked for the
    // account. `Superseded` repeats the sign-in, which then finds the account.
    throw (await findUserByEmail(tx, email)) ? new Superseded() : new Failed('account_refused');
  }
  await claimInitialOwner(tx, deps, { ...user, email_verified_at: now });
  return { user_id: user.id, how: claimed ? 'invitation' : 'created', is_unproven: false };
}

interface Linking extends Joining {
  readonly user_id: string;
  readonly how: JoinedBy;
}

/** Links the subject to the account. An account has at most one subject per connection. */
async function link(
  tx: Tx,
  deps: Deps,
  caller: Caller,
  { id: connection_id, organization_id }: UsableConnection,
  { claims, email, user_id, how }: Linking,
): Promise<string> {
  const now = deps.clock.now();
  const linked = await findSsoIdentityOf(tx, { connection_id, user_id });
  if (linked?.subject === claims.subject) throw new Superseded();
  if (linked) throw new Failed('identity_in_use', { user_id, organization_id });
  const id = uuid();
  await insertSsoIdentity(tx, { id, connection_id, user_id, subject: claims.subject, email: email!, linked_at: now });
  await recordAudit(tx, caller, {
    action: 'auth.sso.linked',
    now,
    resource_type: 'user',
    resource_id: user_id,
    actor_id: user_id,
    organization_id,
    metadata: { connection_id, joined: how },
  });
  return id;
}
