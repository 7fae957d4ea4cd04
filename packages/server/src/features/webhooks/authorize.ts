import { requirePlatformRole } from '../../domain/authorization/administer.ts';
import { readAuth, requireFreshAuth } from '../../domain/authorization/fresh-auth.ts';
import { requirePermission } from '../../domain/authorization/require-permission.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { actorOf, type Principal, userSession } from '../../domain/kernel/principal.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import { lockActiveUser } from '../../domain/users/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';

/** Whose webhooks a request is about: those of the platform, or those of the organization of the session. */
export interface Scope {
  readonly organization_id: string | null;
  readonly principal: Principal;
}

export const platformScope = (principal: Principal): Scope => ({ organization_id: null, principal });

export const organizationScope = (principal: Principal): Scope => ({
  organization_id: actorOf(principal).organization_id,
  principal,
});

/** Checks again, in the transaction, that the caller may write webhooks: the guards may have seen older values. */
export async function authorize(tx: Tx, caller: Caller, { organization_id, principal }: Scope): Promise<void> {
  if (organization_id === null) return requirePlatformRole(tx, caller, 'admin');
  await requirePermission(tx, principal, 'webhooks.manage');
  await requirePermission(tx, principal, 'audit.read');
}

/** Like `authorize`, for requests whose response contains a secret: these need fresh proof too. */
export async function authorizeFresh(tx: Tx, deps: Deps, caller: Caller, scope: Scope): Promise<void> {
  if (scope.organization_id !== null) {
    const session = userSession(scope.principal);
    if (!session || !(await lockActiveUser(tx, session.user_id))) throw notSignedIn();
    const current = await readAuth(tx, session, deps.clock.now());
    requireFreshAuth(deps, current.session, current.owner);
  }
  await authorize(tx, caller, scope);
}
