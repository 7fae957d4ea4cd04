import { type AuthMethod, type MfaRequired, NIL_UUID, type Restriction } from '@gatehouse/contract';
import type { RawBuilder } from 'kysely';
import { v4 as randomUuid, v7 as uuid } from 'uuid';
import { after } from '../../platform/clock.ts';
import type { FirstFactor } from '../../platform/db/column-types.ts';
import type { Db, Tx } from '../../platform/db/connect.ts';
import { afterCommit, retry } from '../../platform/db/transact.ts';
import type { RefusalReason } from '../audit/events.ts';
import type { AuditInsert } from '../audit/queries.ts';
import { auditRow } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { reachOf } from '../kernel/session-state.ts';
import { ALWAYS, NOTHING, type Uses } from '../kernel/statements.ts';
import { type NewMfaToken, prepareMfaToken } from '../mfa/mfa-token.ts';
import { updateEndedGrants } from '../oauth-server/grants/queries.ts';
import {
  isBreakGlass,
  maxAgeOf,
  type PolicyRule,
  policyRefusal,
  policyRefused,
  type RejectingRule,
  requiresSso,
} from '../policy/refusal.ts';
import { accessClaims } from '../sessions/access-token.ts';
import type { DescribedSession } from '../sessions/describe.ts';
import type { SessionTokens } from '../sessions/refresh/rotate.ts';
import { signRefreshToken } from '../sessions/refresh/token.ts';
import { reportBreakGlass } from './break-glass.ts';
import {
  type Account,
  type Admission,
  type Admitted,
  claimProof,
  insertSignIn,
  listOrganizationsToEnter,
} from './queries.ts';

export interface Proof {
  readonly method: AuthMethod;
  /** What the sign-in began with, which the method `password_with_mfa` does not tell; null: unknown. */
  readonly first_factor: FirstFactor | null;
  /** The single sign-on connection that the session belongs to, which must be usable; left out: none. */
  readonly connection_id?: string | null;
  readonly aal: 'aal1' | 'aal2';
  /** When the user was authenticated. Default: now. */
  readonly auth_time?: Date;
  readonly mfa_verified_at: Date | null;
  /** The token hash of a trusted browser that replaces the second factor (only for password and emailed code). */
  readonly trust_hash?: Buffer | undefined;
  /** The trusted browser that replaced the second factor of the session that this one continues. */
  readonly trusted_browser_id?: string | null;
  /** The second factor is part of this proof, or of the session that it continues. */
  readonly settles_mfa?: boolean;
  /** A statement that returns a row while the proof is valid, and consumes the proof if it can be used only once. */
  readonly claim?: RawBuilder<unknown>;
  /** Statements that consume something in addition, once everything else is valid. Also run for a refused sign-in. */
  readonly uses?: Uses;
  /** Like `uses`, but not run if the sign-in is refused. */
  readonly effects?: Uses;
  readonly checked_hash?: string;
  /** Replaces the stored hash, even if a second factor is still missing: the password was right. */
  readonly new_hash?: string | undefined;
  readonly audit: (facts: SignInFacts) => AuditInsert[];
}

export interface SignInFacts {
  readonly organization_id: string;
  readonly outcome: 'success' | 'failure';
  readonly metadata: { mfa_pending?: boolean; trusted_browser?: boolean; reason?: RefusalReason };
}

export interface SignedIn extends SessionTokens {
  readonly status: 'success';
  readonly state: DescribedSession;
}

/** `too late`: the password changed, the account was disabled or the code was used concurrently. */
export type Outcome = SignedIn | MfaRequired | 'too late';

/** All sign-in methods end here. The statement that creates the session checks the account again. */
export async function completeSignIn(deps: Deps, caller: Caller, found: Account, given: Proof): Promise<Outcome> {
  const { account, refusal } = await chooseOrganization(deps, caller, found, given);
  const { organization_id } = account;
  if (organization_id === null) {
    const metadata = { reason: 'organization' } as const;
    const audit = given.audit({ organization_id: NIL_UUID, outcome: 'failure', metadata });
    // docs/reference/sign-in.md#all-methods: the missing membership is reported only after the credentials were right.
    if (!(await consumeProof(deps, account, given, audit))) return 'too late';
    throw notAMember();
  }
  if (refusal) {
    const audit = given.audit({ organization_id, outcome: 'failure', metadata: { reason: 'policy' } });
    // Like a missing membership, a rejection by the policy is reported only after the credentials were right.
    if (!(await consumeProof(deps, account, given, audit))) return 'too late';
    throw policyRefused(refusal);
  }
  const accepted = withEffects(given);
  if (isPending(account, accepted)) {
    const audit = accepted.audit({ organization_id, outcome: 'success', metadata: { mfa_pending: true } });
    const { answer, row } = prepareMfaToken(deps, {
      user_id: account.id,
      organization_id,
      first_factor: accepted.first_factor,
      connection_id: accepted.connection_id ?? null,
    });
    return (await consumeProof(deps, account, accepted, audit, row)) ? answer : 'too late';
  }
  const proof = await withBreakGlass(deps, caller, account, accepted);
  const prepared = prepareSignIn(deps, caller, account, proof);
  const granted = await retry(() => admit(deps.db, deps, prepared));
  if (proof !== accepted) deps.mail.wake();
  return granted ? prepared.issue(granted) : 'too late';
}

const withEffects = ({ uses = NOTHING, effects = NOTHING, ...proof }: Proof): Proof => ({
  ...proof,
  uses: (source) => [...uses(source), ...effects(source)],
});

/**
 * Whether a trusted browser replaces the second factor: it was trusted when the account was read, and the account has
 * MFA. It never does for an owner who signs in without the required single sign-on.
 */
const isTrusted = (account: Account, { trust_hash, trusted_browser_id }: Proof): boolean =>
  account.mfa_enabled_at !== null &&
  account.trusted &&
  (trust_hash !== undefined || trusted_browser_id != null) &&
  !requiresSso(account.policy, account);

const isPending = (account: Account, proof: Proof): boolean =>
  account.mfa_enabled_at !== null && proof.settles_mfa !== true && !isTrusted(account, proof);

/** What the policy is checked against: the new session. If the second factor is verified next, it counts as `aal2`. */
const factsOf = (account: Account, proof: Proof) => ({
  first_factor: proof.first_factor,
  reach: reachOf(proof.connection_id ?? null),
  aal: isPending(account, proof) ? ('aal2' as const) : proof.aal,
  role: account.role,
  email: account.email,
  domains: account.domains,
});

const refusalOf = (deps: Deps, caller: Caller, account: Account, proof: Proof): PolicyRule | undefined => {
  const now = deps.clock.now();
  const { auth_time = now } = proof;
  const trusted_browser = isTrusted(account, proof);
  const facts = { ...factsOf(account, proof), auth_time, trusted_browser, ip_address: caller.ip_address };
  return policyRefusal(account.policy, facts, now);
};

/**
 * docs/reference/policy-and-sso.md#required-single-sign-on: if an owner signs in without the required single sign-on,
 * returns a copy of the proof that also writes an audit row and mails to all owners, otherwise the same proof. After
 * the commit, the caller must wake the mail worker if a copy was returned.
 */
export async function withBreakGlass(deps: Deps, caller: Caller, account: Account, proof: Proof): Promise<Proof> {
  const { id: user_id, email, organization_id } = account;
  if (organization_id === null || !isBreakGlass(account.policy, factsOf(account, proof))) return proof;
  const { method } = proof;
  const report = await reportBreakGlass(deps, caller, { user_id, email, organization_id, method });
  return {
    ...proof,
    uses: (source) => [...(proof.uses ?? NOTHING)(source), ...report.mails(source)],
    audit: (facts) => [...proof.audit(facts), report.audit],
  };
}

const rejects = (rule: PolicyRule | undefined): rule is RejectingRule => rule !== undefined && rule !== 'require_mfa';

/**
 * docs/reference/policy-and-sso.md#policy: if the policy rejects, tries other organizations, unless the caller has
 * named one.
 */
async function chooseOrganization(
  deps: Deps,
  caller: Caller,
  account: Account,
  proof: Proof,
): Promise<{ account: Account; refusal?: RejectingRule }> {
  const refusal = refusalOf(deps, caller, account, proof);
  if (!rejects(refusal)) return { account };
  const others = account.is_named ? [] : await listOrganizationsToEnter(deps.db, account.id);
  const candidates = others.map((other) => ({ ...account, ...other }));
  const allowed = candidates.find((candidate) => !rejects(refusalOf(deps, caller, candidate, proof)));
  return allowed ? { account: allowed } : { account, refusal };
}

const consumeProof = (
  deps: Deps,
  { id: user_id, organization_id, email }: Account,
  proof: Proof,
  audit: AuditInsert[],
  mfa_token?: NewMfaToken,
): Promise<boolean> => {
  const { claim = ALWAYS, uses = NOTHING, checked_hash = null, new_hash = null, connection_id } = proof;
  const linked =
    connection_id && organization_id
      ? { connection_id, user_id, organization_id, email, mfa_at_provider: false }
      : undefined;
  return retry(() => claimProof(deps.db, { user_id, linked, claim, uses, checked_hash, new_hash, audit, mfa_token }));
};

export const notAMember = () =>
  new ServiceError('forbidden', 'you are not a member of this organization, or it is suspended');

export interface PreparedSignIn {
  readonly session_id: string;
  readonly admission: Admission;
  /** Signs the tokens, after the commit: signing is slow, and the token has the roles that the admission read. */
  readonly issue: (granted: Admitted) => Promise<SignedIn>;
}

export function prepareSignIn(deps: Deps, caller: Caller, account: Account, proof: Proof): PreparedSignIn {
  const { clock, config } = deps;
  const now = clock.now();
  const { organization_id } = account;
  if (organization_id === null) throw notAMember();
  const trusted = isTrusted(account, proof);
  const refusal = refusalOf(deps, caller, account, proof);
  if (rejects(refusal)) throw policyRefused(refusal);
  const restricted = refusal === 'require_mfa';
  const session_id = uuid({ msecs: now.getTime() });
  const auth_time = proof.auth_time ?? now;
  const connection_id = proof.connection_id ?? null;
  const reach = reachOf(connection_id);
  const max_age = maxAgeOf(account.policy, config.SESSION_MAX_AGE);
  const expires_at = earlier(after(now, config.REFRESH_TOKEN_TTL), after(auth_time, max_age));
  const refresh = { sub: account.id, sid: session_id, jti: randomUuid() };
  const state = {
    session_id,
    user_id: account.id,
    organization_id,
    auth_method: proof.method,
    first_factor: proof.first_factor,
    connection_id,
    reach,
    aal: proof.aal,
    mfa_verified_at: proof.mfa_verified_at,
    email: account.email,
    email_verified_at: account.email_verified_at,
    display_name: account.display_name,
    // docs/reference/policy-and-sso.md#single-sign-on: a session of single sign-on belongs to the organization, so it
    // has no platform role.
    platform_role: reach === 'account' ? account.platform_role : null,
    restricted: restricted ? restrictionOf(account) : null,
  };
  return {
    session_id,
    async issue({ role, held, perms_at }) {
      const claims = accessClaims({ ...state, role, held, perms_at, auth_time });
      const token = await deps.accessTokens.issue(claims, { now, session_ends: expires_at, restricted });
      const refresh_token = signRefreshToken(deps.keyring, refresh, { issued_at: now, expires_at });
      return { status: 'success', session_id, ...token, refresh_token, state: { ...state, role, held } };
    },
    admission: {
      session: {
        id: session_id,
        user_id: account.id,
        organization_id,
        auth_method: proof.method,
        first_factor: proof.first_factor,
        aal: proof.aal,
        auth_time,
        mfa_verified_at: proof.mfa_verified_at,
        now,
        expires_at,
        access_expires_at: after(now, config.ACCESS_TOKEN_TTL),
        ip_address: caller.ip_address,
        user_agent: caller.user_agent,
        refresh_jti: refresh.jti,
        restricted,
        trusted_browser_id: trusted ? (proof.trusted_browser_id ?? null) : null,
        connection_id,
        email: account.email,
      },
      policy: account.policy,
      needs_owner: isBreakGlass(account.policy, factsOf(account, proof)),
      claim: proof.claim ?? ALWAYS,
      uses: proof.uses ?? NOTHING,
      mfa_settled: proof.settles_mfa === true,
      trust_hash: trusted ? (proof.trust_hash ?? null) : null,
      checked_hash: proof.checked_hash ?? null,
      new_hash: proof.new_hash ?? null,
      audit: proof.audit({
        organization_id,
        outcome: 'success',
        metadata: trusted ? { trusted_browser: true } : {},
      }),
      audit_ended: auditRow(caller, {
        action: 'auth.session.revoked',
        now,
        resource_type: 'session',
        resource_id: NIL_UUID,
        actor_id: account.id,
        metadata: { reason: 'limit', count: 1 },
      }),
    },
  };
}

/** Creates the prepared session, alone or in the caller's transaction. Undefined if the outcome is `too late`. */
export async function admit(db: Db | Tx, { bus }: Deps, { admission }: PreparedSignIn): Promise<Admitted | undefined> {
  const { opened, ended, granted } = await insertSignIn(db, admission);
  // Sessions end here only beyond the limit per user. The events below also drop the cached grants of these sessions.
  if (ended.length > 0) await updateEndedGrants(db, { session_ids: ended }, admission.session.now);
  const deliver = () => bus.deliver(ended.map((key) => ({ topic: 'session', key })));
  if (ended.length > 0 && !afterCommit(db, deliver)) await deliver();
  return opened ? granted! : undefined;
}

const restrictionOf = ({ mfa_enabled_at }: Account): Restriction =>
  mfa_enabled_at === null ? 'mfa_enrollment' : 'mfa_verification';

const earlier = (left: Date, right: Date): Date => (left < right ? left : right);
