import type { MfaRequired } from '@gatehouse/contract';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { addressOf } from '../../domain/kernel/claims.ts';
import { domainOfEmail } from '../../domain/kernel/email-domain.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { completeSignIn, type SignedIn } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount } from '../../domain/sign-in/queries.ts';
import { findConnection, type UsableConnection } from '../../domain/sso/connection.ts';
import { findSsoIdentity, useSsoIdentity } from '../../domain/sso/identities/queries.ts';
import type { SsoClaims } from '../../domain/sso/provider.ts';
import { Failed } from '../../domain/upstream/failure.ts';
import { violatedConstraint } from '../../platform/db/errors.ts';
import { type Asserted, assuranceOf, Superseded } from './asserted.ts';
import { join } from './join.ts';

type Result = SignedIn | MfaRequired;

const ATTEMPTS = 3;

/**
 * docs/reference/policy-and-sso.md#single-sign-on: a subject signs in to the account that it is linked to at this
 * connection, else to the account with the asserted email, else to a new account. The sign-in is repeated if a
 * concurrent request has changed what was read.
 */
export async function signIn(
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  asserted: Asserted,
): Promise<Result> {
  let current = connection;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return await signInOnce(deps, caller, current, asserted);
    } catch (error) {
      if (!isSuperseded(error)) throw error;
      current = await readAgain(deps, connection);
    }
  }
  throw new Failed('account_refused');
}

/** Throws if the connection was deactivated, or has another provider now than the one that asserted the subject. */
async function readAgain(deps: Deps, { id, settings_id }: UsableConnection): Promise<UsableConnection> {
  const found = await findConnection(deps, id);
  if (!found?.active || found.settings_id !== settings_id) throw new Failed('account_refused');
  return found;
}

/** Constraints that are violated if a concurrent sign-in has created or linked the same account. */
const CONCURRENT: ReadonlySet<string | undefined> = new Set([
  'users_email_key',
  'sso_identities_connection_id_subject_key',
  'sso_identities_connection_id_user_id_key',
]);

const isSuperseded = (error: unknown): boolean =>
  error instanceof Superseded || CONCURRENT.has(violatedConstraint(error));

async function signInOnce(
  deps: Deps,
  caller: Caller,
  connection: UsableConnection,
  asserted: Asserted,
): Promise<Result> {
  const { db, clock } = deps;
  const { claims } = asserted;
  const { id: connection_id, organization_id } = connection;
  const subject = { connection_id, subject: claims.sub };
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

/**
 * Returns the asserted email. Throws unless it is in a verified domain of the connection and is not marked unverified;
 * `addressOf` refuses one that differs from its normalized form by more than ASCII case.
 */
function emailFor({ domains }: UsableConnection, claims: SsoClaims): string {
  const { email, email_verified } = addressOf(claims.email, claims.email_verified !== false);
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
  readonly claims: SsoClaims;
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
  const asserted = addressOf(claims.email, true).email;
  const about = { now, resource_type: 'user', resource_id: user_id, actor_id: user_id, organization_id } as const;
  const outcome = await completeSignIn(deps, caller, account, {
    method: 'sso',
    first_factor: 'sso',
    connection_id,
    aal,
    mfa_verified_at: null,
    settles_mfa: aal === 'aal2',
    effects: (source) => [useSsoIdentity({ id: identity_id, email: asserted, now }, source)],
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
  }).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'forbidden')) throw error;
    throw new Failed('account_refused', { user_id, organization_id }, { refusal: error, audited: true });
  });
  if (outcome === 'too late') throw new Superseded();
  return outcome;
}
