import { NIL_UUID } from '@gatehouse/contract';
import { requireAll } from '../../domain/authorization/assign-roles.ts';
import type { ActingMember } from '../../domain/authorization/require-permission.ts';
import { actorOf, type Principal } from '../../domain/kernel/principal.ts';
import type { Tx } from '../../platform/db/connect.ts';

/** Whose roles a request is about: global ones, or those of the organization of the session. */
export interface Scope {
  readonly organization_id: string | null;
  readonly principal: Principal;
}

export const globalScope = (principal: Principal): Scope => ({ organization_id: null, principal });

export const organizationScope = (principal: Principal): Scope => ({
  organization_id: actorOf(principal).organization_id,
  principal,
});

/** Throws unless the caller has all these permissions. Platform administrators may use any in global roles. */
type RequireAll = (permissions: Iterable<string>) => Promise<void>;

export const requiringAll = (tx: Tx, { organization_id }: Scope, checked: { member: ActingMember }): RequireAll =>
  organization_id === null ? async () => {} : (permissions) => requireAll(tx, checked.member, permissions);

export const aboutRole = ({ organization_id }: Scope, id: string) =>
  ({ resource_type: 'role', resource_id: id, organization_id: organization_id ?? NIL_UUID }) as const;

export const scopeName = ({ organization_id }: Scope) =>
  organization_id === null ? ('global' as const) : ('organization' as const);
