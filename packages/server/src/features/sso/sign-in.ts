import type { MfaRequired } from '@gatehouse/contract';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import type { Claims } from '../../domain/kernel/claims.ts';
import { domainOfEmail } from '../../domain/kernel/email-domain.ts';
import { completeSignIn, type SignedIn } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount } from '../../domain/sign-in/queries.ts';
import { findConnection, type UsableConnection } from '../../domain/sso/connection.ts';
import { findSsoIdentity, useSsoIdentity } from '../../domain/sso/identities/queries.ts';
import { completed, repeatSuperseded, Superseded } from '../../domain/upstream/attempts.ts';
import { Failed } from '../../domain/upstream/failure.ts';
import { type Asserted, assuranceOf } from './asserted.ts';
import { join } from './join.ts';

type Result = SignedIn | MfaRequired;

/**
 * docs/reference/policy-and-sso.md#single-sign-on: a subject signs in to the account that it is linked to at this
 * connection, else to the account with the asserted email, else to a new account.
 */
export const signIn = (deps: Deps, caller: Caller, connection: UsableConnection, asserted: Asserted): Promise<Result> =>
  repeatSuperseded(async (attempt) => {
    const current = attempt === 0 ? connection : await readAgain(deps, connection);
    return signInOnce(deps, caller, current, asserted);
  });

/** Throws if the connection was deactivated, or has another provider now than the one that asserted the subject. */
async function readAgain(deps: Deps, { id, settings_id }: UsableConnection): Promise<UsableConnection> {
  const found = await findConnection(deps, id);
  if (!found?.active || found.settings_id !== settings_id) throw new Failed('account_refused');
  return found;
}

async function signInOnce(
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  asserted: Asserted,
): Promise<Result> {
  const { db, clock } = deps;
  const { claims } = asserted;
  const { id: connection_id, organization_id } = connection;
  const subject = { connection_id, subject: claims.subject };
  const identity = await findSsoIdentity(db, subject);
  const email = identity ? undefined : emailFor(connection, claims);
  const owner = identity ? { user_id: identity.user_id } : { email: email! };
  const { account } = await findAccount(db, { ...owner, organization_id, now: clock.now() });
  if (identity && !account) throw new Failed('account_refused');
  if (account) requireUsable(connection, account);
  if (identity && account && account.organization_id !== null) {
    return complete(deps, caller, connection, { identity_id: identity.id, account, claims });
  }
  const joined = await join(deps, caller, connection, { ...asserted, account, email, identity_id: identity?.id });
  const found = await findAccount(db, { user_id: joined.user_id, organization_id, now: clock.now() });
  if (!found.account) throw new Superseded();
  return complete(deps, caller, connection, { identity_id: joined.identity_id, account: found.account, claims });
}

/** Returns the asserted email. Throws unless it is in a verified domain of the connection and not marked unverified. */
function emailFor({ domains }: UsableConnection, { email, email_verified }: Claims): string {
  if (email === null || !email_verified || !domains.includes(domainOfEmail(email) ?? '')) {
    throw new Failed('email_missing');
  }
  return email;
}

/** Throws unless the account is active and its current email is in a verified domain. Checked at each sign-in. */
function requireUsable({ domains, organization_id }: UsableConnection, { id, status, email }: Account): void {
  if (status === 'active' && domains.includes(domainOfEmail(email) ?? '')) return;
  throw new Failed('account_refused', { user_id: id, organization_id });
}

interface Linked {
  readonly identity_id: string;
  readonly account: Account;
  readonly claims: Claims;
}

/** Sign-in completion. A second factor that the user has here is asked for, unless the provider has verified one. */
async function complete(
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  { identity_id, account, claims }: Linked,
): Promise<Result> {
  const now = deps.clock.now();
  const { id: connection_id, organization_id } = connection;
  const { id: user_id } = account;
  const aal = assuranceOf(connection, claims);
  const about = { now, resource_type: 'user', resource_id: user_id, actor_id: user_id, organization_id } as const;
  const completion = completeSignIn(deps, caller, account, {
    method: 'sso',
    first_factor: 'sso',
    connection_id,
    aal,
    mfa_verified_at: null,
    settles_mfa: aal === 'aal2',
    effects: (source) => [useSsoIdentity({ id: identity_id, email: claims.email, now }, source)],
    audit: ({ outcome, metadata: { mfa_pending } }) => [
      outcome === 'success'
        ? auditRow(caller, {
            ...about,
            action: 'auth.sso.login',
            metadata: { connection_id, ...(mfa_pending && { mfa_pending }) },
          })
        : auditRow(caller, {
            ...about,
            action: 'auth.sso.refused',
            outcome,
            metadata: { connection_id, reason: 'account_refused' },
          }),
    ],
  });
  return completed(completion, { user_id, organization_id });
}
