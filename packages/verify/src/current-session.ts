import { membersOf } from './document.ts';
import type { Aal, Session } from './session.ts';

/** The response of `GET /auth/session`: the user and their current permissions. Later versions may add fields. */
export interface CurrentSession {
  readonly user: {
    readonly user_id: string;
    readonly organization_id: string;
    readonly session_family_id: string;
    readonly email: string;
    readonly email_verified: boolean;
    readonly display_name: string | null;
    readonly auth_method: string;
    readonly aal: Aal;
    /** When a second factor or a passkey was last verified in this session. */
    readonly mfa_verified_at: string | null;
  };
  readonly capabilities: {
    readonly role: 'owner' | 'admin' | 'member' | 'machine';
    /** Slugs of the other roles of the user, sorted. Undefined if the service is older than product roles. */
    readonly roles?: readonly string[];
    /** Permissions of the service and of the product. */
    readonly permissions: readonly string[];
    readonly platform_role: 'viewer' | 'admin' | 'owner' | null;
  };
}

/** Throws if the response is about another session, or lacks a field that a check needs. */
export function readCurrentSession(body: unknown, session: Session): CurrentSession {
  const user = membersOf(membersOf(body).user);
  const capabilities = membersOf(membersOf(body).capabilities);
  const { mfa_verified_at } = user;
  const isValid =
    user.user_id === session.user_id &&
    user.organization_id === session.organization_id &&
    user.session_family_id === session.session_id &&
    (mfa_verified_at === null || (typeof mfa_verified_at === 'string' && !Number.isNaN(Date.parse(mfa_verified_at)))) &&
    Array.isArray(capabilities.permissions);
  if (!isValid) throw new Error('the response is not about this session');
  // All callers share the object: a change by one of them must not grant permissions to others.
  for (const part of [user, capabilities, capabilities.roles, capabilities.permissions, body]) Object.freeze(part);
  return body as CurrentSession;
}
