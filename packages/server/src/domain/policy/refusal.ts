import type { Policy, PolicyMethod } from '@gatehouse/contract';
import { after } from '../../platform/clock.ts';
import type { FirstFactor } from '../../platform/db/column-types.ts';
import { isWithin } from '../../platform/networks.ts';
import { domainOfEmail } from '../kernel/email-domain.ts';
import type { OrganizationRole } from '../kernel/permissions.ts';
import { ServiceError } from '../kernel/service-error.ts';
import type { SessionReach } from '../kernel/session-state.ts';

/** What a policy is checked against: how a session began, what it has proved since, and where it is used. */
export interface PolicyFacts {
  /** Null: unknown, which a list of allowed methods rejects. */
  readonly first_factor: FirstFactor | null;
  readonly aal: 'aal1' | 'aal2';
  /** A browser that the user still trusts has replaced the second factor. */
  readonly trusted_browser: boolean;
  readonly auth_time: Date;
  readonly reach: SessionReach;
  /** The role in the organization; null: not a member yet. */
  readonly role: OrganizationRole | null;
  readonly email: string;
  readonly domains: readonly string[];
  /** Left out: networks are not checked. Null: the address is unknown, which a list of networks rejects. */
  readonly ip_address?: string | null;
}

const METHODS: Readonly<Record<FirstFactor, PolicyMethod>> = {
  password: 'password',
  passkey: 'passkey',
  email_otp: 'email_otp',
  social_oauth: 'oauth',
  sso: 'sso',
};

export type PolicyRule =
  | 'sso_required'
  | 'allowed_methods'
  | 'session_max_age_seconds'
  | 'allowed_networks'
  | 'require_mfa';

/** Whether the policy requires this user to sign in by single sign-on: it does if the email is in a verified domain. */
export const requiresSso = (
  policy: Policy | null,
  { email, domains }: Pick<PolicyFacts, 'email' | 'domains'>,
): boolean => policy?.sso_required === true && domains.includes(domainOfEmail(email) ?? '');

/**
 * docs/reference/policy-and-sso.md#required-single-sign-on: whether an owner signs in without the required single
 * sign-on, for example while the provider is down. This needs a password and a second factor, or a passkey.
 */
export const isBreakGlass = (
  policy: Policy | null,
  facts: Omit<PolicyFacts, 'auth_time' | 'trusted_browser'>,
): boolean => facts.reach === 'account' && requiresSso(policy, facts) && mayBreakGlass(facts);

const mayBreakGlass = ({ role, aal, first_factor }: Pick<PolicyFacts, 'role' | 'aal' | 'first_factor'>): boolean =>
  role === 'owner' && aal === 'aal2' && (first_factor === 'password' || first_factor === 'passkey');

/**
 * docs/reference/policy-and-sso.md#policy: the first rule of the policy that is not met, or undefined. `require_mfa`
 * comes last: a session that only lacks the second factor is restricted, not rejected.
 */
export function policyRefusal(policy: Policy | null, facts: PolicyFacts, now: Date): PolicyRule | undefined {
  if (policy === null) return undefined;
  const { first_factor, auth_time, ip_address } = facts;
  const { allowed_networks, session_max_age_seconds } = policy;
  if (facts.reach === 'account' && requiresSso(policy, facts) && !mayBreakGlass(facts)) return 'sso_required';
  if (!isMethodAllowed(policy, first_factor)) return 'allowed_methods';
  if (session_max_age_seconds !== null && after(auth_time, session_max_age_seconds) <= now) {
    return 'session_max_age_seconds';
  }
  if (allowed_networks.length > 0 && ip_address !== undefined && !isWithin(allowed_networks, ip_address)) {
    return 'allowed_networks';
  }
  // `require_mfa` does not apply to single sign-on: the organization's provider decides about a second factor.
  if (facts.reach === 'organization' || facts.aal === 'aal2' || facts.trusted_browser) return undefined;
  return policy.require_mfa ? 'require_mfa' : undefined;
}

/** Rules that reject a session. `require_mfa` only restricts it. */
export type RejectingRule = Exclude<PolicyRule, 'require_mfa'>;

const MESSAGES: Readonly<Record<RejectingRule, string>> = {
  sso_required: 'your organization requires single sign-on; sign in with it',
  allowed_methods: 'your organization does not allow this sign-in method; use another one',
  session_max_age_seconds: 'your organization requires a more recent sign-in; sign in again',
  allowed_networks: 'your organization does not allow access from this network',
};

export const policyRefused = (rule: RejectingRule) => new ServiceError('forbidden', MESSAGES[rule]);

/** Throws if the policy rejects the session in the organization. Returns whether the session is restricted. */
export function requireAllowed(policy: Policy | null, facts: PolicyFacts, now: Date): boolean {
  const rule = policyRefusal(policy, facts, now);
  if (rule !== undefined && rule !== 'require_mfa') throw policyRefused(rule);
  return rule === 'require_mfa';
}

/** The first factors that the policy allows. Null: all. */
export const firstFactorsOf = ({ allowed_methods }: Policy): FirstFactor[] | null =>
  allowed_methods &&
  (Object.keys(METHODS) as FirstFactor[]).filter((factor) => allowed_methods.includes(METHODS[factor]));

/** The methods that the policy allows an owner to use instead of the required single sign-on. */
export const breakGlassMethods = (policy: Policy) => ({
  password: isMethodAllowed(policy, 'password'),
  passkey: isMethodAllowed(policy, 'passkey'),
});

/** Checks the policy for a user who joins the organization but opens no session in it. */
export function requireMethod(
  policy: Policy | null,
  facts: Pick<PolicyFacts, 'first_factor' | 'email' | 'domains'>,
): void {
  if (requiresSso(policy, facts)) throw policyRefused('sso_required');
  if (!isMethodAllowed(policy, facts.first_factor)) throw policyRefused('allowed_methods');
}

const isMethodAllowed = (policy: Policy | null, first_factor: FirstFactor | null): boolean =>
  !policy?.allowed_methods || (first_factor !== null && policy.allowed_methods.includes(METHODS[first_factor]));

/** The maximum age of a session in seconds, from the sign-in on. */
export const maxAgeOf = (policy: Policy | null, configured: number): number =>
  Math.min(configured, policy?.session_max_age_seconds ?? configured);
