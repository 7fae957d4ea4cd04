import { LIMITS, type MfaRequired } from '@gatehouse/contract';
import { v7 as uuid } from 'uuid';
import type { AuditInsert } from '../../domain/audit/queries.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { addressCounters } from '../../domain/limits/address-counters.ts';
import type { ExternalIdentity } from '../../domain/provider-settings/external-identity.ts';
import { completeSignIn, type Proof, type SignedIn, type SignInFacts } from '../../domain/sign-in/complete.ts';
import { type Account, findAccount } from '../../domain/sign-in/queries.ts';
import { registerOwner } from '../../domain/sign-in/register-owner.ts';
import { completed, repeatSuperseded, Superseded } from '../../domain/upstream/attempts.ts';
import { Failed } from '../../domain/upstream/failure.ts';
import {
  claimIdentity,
  claimVerifiedEmail,
  findIdentity,
  identityAlong,
  insertIdentity,
  listIdentities,
} from '../../domain/upstream/queries.ts';
import { noticeWithinLimit } from '../../domain/users/notify.ts';
import type { SocialFlow } from './flow.ts';
import { identityRow, linkedNotice, linkedRow } from './linked.ts';

type Result = SignedIn | MfaRequired;
/** What the start of the flow requested. */
type Wish = Pick<SocialFlow, 'organization_id' | 'locale'>;

/**
 * docs/reference/sign-in.md#third-party-sign-in: an identity signs in to the account it is linked to, else to the
 * account with the same email if both sides have verified it, else to a new account.
 */
export const signIn = (deps: Deps, caller: Caller, external: ExternalIdentity, wish: Wish): Promise<Result> =>
  repeatSuperseded(() => signInOnce(deps, caller, external, wish));

async function signInOnce(deps: Deps, caller: Caller, external: ExternalIdentity, wish: Wish): Promise<Result> {
  const { db, clock } = deps;
  const { organization_id } = wish;
  const identity = await findIdentity(db, external);
  if (identity) {
    const { account } = await findAccount(db, { user_id: identity.user_id, organization_id, now: clock.now() });
    return signInLinked(deps, caller, { account, identity_id: identity.id, external });
  }
  const { email } = external;
  if (email === null) throw new Failed('email_missing');
  // Anyone can enter any address at a provider that does not verify it: the response must not reveal whether the
  // address has an account.
  if (deps.config.REGISTRATION === 'closed' && !external.email_verified) throw new Failed('registration_closed');
  const { account } = await findAccount(db, { email, organization_id, now: clock.now() });
  if (!account) return registerWithIdentity(deps, caller, { ...external, email }, wish);
  if (!external.email_verified || account.email_verified_at === null) {
    // A concurrent request of the same user may have registered the account between the two queries.
    if (await findIdentity(db, external)) throw new Superseded();
    throw new Failed('account_exists', aboutOf(account));
  }
  return linkAndSignIn(deps, caller, { account, external: { ...external, email } });
}

const aboutOf = ({ id, organization_id }: Account) => ({ user_id: id, organization_id });

interface Known {
  readonly account: Account | undefined;
  readonly identity_id: string;
  readonly external: ExternalIdentity;
}

/** The account must be active and have an organization to sign in to. */
function requireActive(account: Account | undefined): Account {
  if (account?.status === 'active' && account.organization_id !== null) return account;
  throw new Failed('account_refused', account && aboutOf(account));
}

async function signInLinked(deps: Deps, caller: Caller, { identity_id, external, ...known }: Known): Promise<Result> {
  const account = requireActive(known.account);
  const now = deps.clock.now();
  return complete(deps, caller, account, {
    claim: claimIdentity({ id: identity_id, user_id: account.id, email: external.email, now }),
    audit: (facts) => [loginRow(deps, caller, { user_id: account.id, identity_id, external }, facts)],
  });
}

interface Match {
  readonly account: Account;
  readonly external: ExternalIdentity & { readonly email: string };
}

/** Both sides have verified the email, so it is the same user. A notice tells them about the new sign-in method. */
async function linkAndSignIn(deps: Deps, caller: Caller, { external, ...match }: Match): Promise<Result> {
  const account = requireActive(match.account);
  const { length } = await listIdentities(deps.db, account.id);
  if (length >= LIMITS.identitiesPerUser) throw new Failed('account_refused', aboutOf(account));
  const identity = identityRow({ user_id: account.id, external, now: deps.clock.now() });
  const linked = { user_id: account.id, identity_id: identity.id, external };
  const notice = noticeWithinLimit(deps, account, linkedNotice(external));
  const result = await complete(deps, caller, account, {
    claim: claimVerifiedEmail({ user_id: account.id, email: external.email }),
    effects: (source) => [...notice(source), ...identityAlong(identity)(source)],
    audit: (facts) =>
      facts.outcome === 'success'
        ? [
            linkedRow(deps, caller, { ...linked, organization_id: facts.organization_id }),
            loginRow(deps, caller, linked, facts),
          ]
        : [loginRow(deps, caller, { user_id: account.id, external }, facts)],
  });
  deps.mail.wake();
  return result;
}

/** Completes the sign-in with one factor. A trusted browser does not replace the second factor. */
const complete = (
  deps: Deps,
  caller: Caller,
  account: Account,
  proof: Pick<Proof, 'claim' | 'effects' | 'audit'>,
): Promise<Result> => {
  const method = 'social_oauth';
  const given: Proof = { method, first_factor: method, aal: 'aal1', mfa_verified_at: null, ...proof };
  return completed(completeSignIn(deps, caller, account, given), aboutOf(account));
};

/** Creates a user and an organization. The email stays unverified until the mailed link is used. */
async function registerWithIdentity(
  deps: Deps,
  caller: Caller,
  external: Match['external'],
  { organization_id, locale = null }: Wish,
): Promise<SignedIn> {
  const { config, limiter, clock } = deps;
  if (config.REGISTRATION === 'closed') throw new Failed('registration_closed');
  // A new account is a member of its own organization only.
  if (organization_id !== undefined) throw new Failed('account_refused');
  const counters = addressCounters(limiter, caller, 'registration', config.LIMIT_REGISTRATION_PER_ADDRESS);
  const { allowed, retryAfter } = await limiter.hit(...counters);
  if (!allowed) throw new Failed('rate_limited', {}, { retryAfter });
  const user_id = uuid();
  const identity = identityRow({ user_id, external, now: clock.now() });
  const linked = { user_id, identity_id: identity.id, external };
  return registerOwner(deps, caller, {
    method: 'social_oauth',
    organization: { name: external.name ?? external.email.split('@')[0]! },
    owner: { id: user_id, email: external.email, display_name: external.name, locale, password_hash: null },
    audit: (organization_id) => [loginRow(deps, caller, linked, { organization_id, outcome: 'success', metadata: {} })],
    along: (tx) => insertIdentity(tx, identity),
  }).catch((error: unknown) => {
    // A concurrent request has registered the email.
    throw error instanceof ServiceError && error.code === 'conflict' ? new Superseded() : error;
  });
}

interface LinkedIdentity {
  readonly user_id: string;
  /** Left out if the sign-in was refused before the identity was linked. */
  readonly identity_id?: string;
  readonly external: ExternalIdentity;
}

const loginRow = (
  deps: Deps,
  caller: Caller,
  { user_id, identity_id, external }: LinkedIdentity,
  facts: SignInFacts,
): AuditInsert =>
  auditRow(caller, {
    action: 'auth.oauth.login',
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: user_id,
    actor_id: user_id,
    organization_id: facts.organization_id,
    outcome: facts.outcome,
    metadata: {
      provider: external.provider,
      ...(identity_id !== undefined && { identity_id }),
      ...(facts.metadata.mfa_pending && { mfa_pending: true }),
      ...(facts.metadata.reason === 'policy' && { reason: 'policy' }),
    },
  });
