import { actorOf, type Principal } from '../../domain/kernel/principal.ts';

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
