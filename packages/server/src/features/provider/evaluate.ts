import type { InteractionKind } from '@gatehouse/contract';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import { findAuthorization } from '../../domain/consents/queries.ts';
import type { Deps } from '../../domain/context.ts';
import type { SessionState } from '../../domain/sessions/state.ts';
import { after } from '../../platform/clock.ts';
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
}

type Outcome =
  | { readonly needs: Exclude<InteractionKind, 'device' | 'logout'> }
  | { readonly needs: undefined; readonly session: SessionState; readonly organization_id: string };

/**
 * Decides what an authorization request needs next: the user, or nothing but a code. Throws an `AuthorizationFailure`.
 * With `prompt=none` everything that needs the user is one.
 */
export async function evaluate(deps: Deps, { application, request, progress, session }: Situation): Promise<Outcome> {
  const ask = (needs: Exclude<InteractionKind, 'device' | 'logout'>, error: AuthorizationFailure['error']): Outcome => {
    if (request.prompt.includes('none')) throw new AuthorizationFailure(error, `the user must act: ${needs}`);
    return { needs };
  };
  if (!session || mustReauthenticate(request, progress, session)) return ask('sign_in', 'login_required');
  if (request.prompt.includes('select_account') && !progress.account_chosen) return { needs: 'sign_in' };

  const organization_id = organizationFor(application, request, progress) ?? session.organization_id;
  const known = await findAuthorization(deps.db, {
    user_id: session.user_id,
    application_id: application.id,
    organization_id,
  });
  if (!known.is_member) {
    throw new AuthorizationFailure('access_denied', 'the user is not a member of the organization');
  }
  if (request.needs_aal2 && session.aal !== 'aal2') return ask('mfa', 'interaction_required');
  if (!application.trusted && !progress.consented) {
    const covers = (scope: string): boolean => known.consented?.includes(scope) === true;
    const isCovered = known.consented !== null && request.scopes.every(covers);
    // The page of the consent also lets the user choose the organization.
    if (!isCovered || request.prompt.includes('consent')) return ask('consent', 'consent_required');
  }
  const mayChoose = isOpen(application, request) && !progress.consented && progress.organization_id === null;
  if (mayChoose && request.prompt.includes('select_account') && known.memberships > 1) return { needs: 'organization' };
  return { needs: undefined, session, organization_id };
}

/** A sign-in after the request began always suffices, so that `max_age=0` can be met. */
export function mustReauthenticate(
  { prompt, max_age }: AuthorizationRequest,
  { requested_at }: Progress,
  { auth_time }: Pick<SessionState, 'auth_time'>,
): boolean {
  if (prompt.includes('login') && auth_time < requested_at) return true;
  return max_age !== null && auth_time < after(requested_at, -max_age);
}

/** Neither the application nor the request determines the organization. */
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
