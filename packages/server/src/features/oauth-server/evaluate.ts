import type { InteractionKind, Policy } from '@gatehouse/contract';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import type { Deps } from '../../domain/context.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { findAuthorization } from '../../domain/oauth-server/consents/queries.ts';
import { isBreakGlass, policyRefusal } from '../../domain/policy/refusal.ts';
import { after } from '../../platform/clock.ts';
import { isWithin } from '../../platform/networks.ts';
import { AuthorizationFailure } from './failure.ts';
import type { AuthorizationRequest } from './request.ts';

/** What the user has already decided in earlier interactions of the same request. */
export interface Progress {
  /** When the application sent the user here. */
  readonly requested_at: Date;
  readonly account_chosen: boolean;
  readonly consented: boolean;
  readonly organization_id: string | null;
}

interface Situation {
  readonly application: ApplicationRow;
  readonly request: AuthorizationRequest;
  readonly progress: Progress;
  readonly session: SessionState | undefined;
  /** The address of the browser, which the policy may restrict to networks. */
  readonly ip_address: string | null;
}

type Outcome =
  | { readonly needs: Exclude<InteractionKind, 'device' | 'logout'> }
  | {
      readonly needs: undefined;
      readonly session: SessionState;
      readonly organization_id: string;
      readonly policy: Policy | null;
    };

/** Decides what a request needs next. With `prompt=none`, whatever needs the user is an `AuthorizationFailure`. */
export async function evaluate(
  deps: Deps,
  { application, request, progress, session, ip_address }: Situation,
): Promise<Outcome> {
  const now = deps.clock.now();
  const ask = (needs: Exclude<InteractionKind, 'device' | 'logout'>, error: AuthorizationFailure['error']): Outcome => {
    if (request.prompt.includes('none')) throw new AuthorizationFailure(error, `the user must act: ${needs}`);
    return { needs };
  };
  if (!session || mustReauthenticate(request, progress, session)) return ask('sign_in', 'login_required');
  if (isForAnother(request, session)) {
    // The user of the hint did not sign in when asked to.
    if (progress.account_chosen) throw new AuthorizationFailure('login_required', 'another user has signed in');
    return ask('sign_in', 'login_required');
  }
  const organization_id = organizationFor(application, request, progress) ?? session.organization_id;
  if (session.reach === 'organization' && organization_id !== session.organization_id) {
    throw new AuthorizationFailure('access_denied', 'the single sign-on session belongs to another organization');
  }
  const known = await findAuthorization(deps.db, {
    user_id: session.user_id,
    application_id: application.id,
    organization_id,
    session_id: session.session_id,
    now,
  });
  const mustConsent = !application.trusted && !progress.consented && !isConsented(request, known.consented);
  // Checked first: without consent, `prompt=none` must not reveal the user's policy or memberships to the application.
  if (mustConsent && request.prompt.includes('none')) return ask('consent', 'consent_required');
  if (session.allowed_networks !== null && !isWithin(session.allowed_networks, ip_address)) {
    throw new AuthorizationFailure('access_denied', 'the policy of the session does not allow it: allowed_networks');
  }
  // docs/reference/oauth-server.md#interactions: a restricted session cannot authorize. Signing in leads to the second
  // factor.
  if (session.restricted !== null) return ask('sign_in', 'interaction_required');
  if (request.prompt.includes('select_account') && !progress.account_chosen) return { needs: 'sign_in' };
  if (!known.is_member) {
    throw new AuthorizationFailure('access_denied', 'the user is not a member of the organization');
  }
  const { policy, trusted_browser, domains, role } = known;
  const facts = { ...session, trusted_browser, domains, role, ip_address };
  // An owner's break-glass access is reported when a session opens in the organization, so it needs such a session.
  const isUnreported = organization_id !== session.organization_id && isBreakGlass(policy, facts);
  const rule = isUnreported ? 'sso_required' : policyRefusal(policy, facts, now);
  if (rule !== undefined && rule !== 'require_mfa') {
    throw new AuthorizationFailure('access_denied', `the policy of the organization does not allow it: ${rule}`);
  }
  if (rule === 'require_mfa') return ask('mfa', 'interaction_required');
  if (request.needs_aal2 && session.aal !== 'aal2') {
    // A session of single sign-on can neither set up a second factor nor use a passkey.
    if (session.reach === 'organization' && !known.mfa_enabled) {
      throw new AuthorizationFailure('access_denied', 'the single sign-on session cannot get a second factor');
    }
    return ask('mfa', 'interaction_required');
  }
  // The consent page also lets the user choose the organization.
  if (mustConsent) return ask('consent', 'consent_required');
  const mayChoose =
    isOpen(application, request) &&
    session.reach === 'account' &&
    !progress.consented &&
    progress.organization_id === null;
  if (mayChoose && request.prompt.includes('select_account') && known.memberships > 1) return { needs: 'organization' };
  return { needs: undefined, session, organization_id, policy };
}

/**
 * docs/reference/oauth-server.md#consent: whether the user has consented to all requested scopes. `prompt=consent`
 * requires a new consent.
 */
const isConsented = ({ scopes, prompt }: AuthorizationRequest, consented: readonly string[] | null): boolean =>
  consented !== null && scopes.every((scope) => consented.includes(scope)) && !prompt.includes('consent');

/** A sign-in after the request began always suffices, so that `max_age=0` can be met. */
export function mustReauthenticate(
  { prompt, max_age }: AuthorizationRequest,
  { requested_at }: Progress,
  { auth_time }: Pick<SessionState, 'auth_time'>,
): boolean {
  if (prompt.includes('login') && auth_time < requested_at) return true;
  return max_age !== null && auth_time < after(requested_at, -max_age);
}

/** Whether `id_token_hint` names another user than that of the session. */
export const isForAnother = (
  { hinted_user = null }: AuthorizationRequest,
  { user_id }: Pick<SessionState, 'user_id'>,
): boolean => hinted_user !== null && hinted_user !== user_id;

/** Whether neither the application nor the request determines the organization. */
const isOpen = ({ organization_id }: ApplicationRow, { organization }: AuthorizationRequest): boolean =>
  organization_id === null && organization === null;

/** The organization that application, request or user have chosen. Undefined: that of the session. */
function organizationFor(
  application: ApplicationRow,
  { organization }: AuthorizationRequest,
  progress: Progress,
): string | undefined {
  const chosen = [application.organization_id, organization, progress.organization_id].filter((id) => id !== null);
  if (chosen.some((id) => id !== chosen[0])) {
    throw new AuthorizationFailure('access_denied', 'the application is for another organization');
  }
  return chosen[0];
}
