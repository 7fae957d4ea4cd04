import type { Call } from '../call.ts';
import { path } from '../path.ts';
import type {
  CurrentSession,
  LoginSuccess,
  SessionList,
  SetupState,
  TrustedBrowser,
  TrustedBrowserList,
} from '../wire.ts';

export const sessionCalls = (call: Call, renew: () => Promise<void>) => ({
  /** Returns the signed-in user with role and permissions. */
  current: () => call<CurrentSession>('GET', '/auth/session'),
  /**
   * Renews the session immediately. The new access token has the current roles and email. You need not call this for an
   * expired token: all calls renew it. Rejects with `signed_out` if the session has ended, or the client was created
   * with `access_token`.
   */
  refresh: () => renew(),
  /** Signs out: revokes this session and removes it from the client. Resolves even if no user is signed in. */
  signOut: () => call<void>('POST', '/auth/logout', { as: 'optional', ends: true }),
  /**
   * Switches to another organization of the same user: opens a new session and ends the old one. Naming the current
   * organization returns a fresh access token of the same session, for example after the email was verified.
   */
  switchOrganization: (organization_id: string) =>
    call<LoginSuccess>('POST', '/auth/organization', { body: { organization_id }, changesSession: true }),
  /**
   * For a session that began with an emailed code in the last 15 minutes, while the email is not verified: verifies the
   * email and removes everything that someone else may have added to the account, including every other session.
   */
  reclaim: () => call<void>('POST', '/auth/reclaim'),
  /** Returns all active sessions of the user; `current` marks this one. */
  list: () => call<SessionList>('GET', '/auth/sessions'),
  /**
   * Revokes a session; can be repeated. To end the current session use `signOut`: `end` does not remove the access
   * token from the client.
   */
  end: (id: string) => call<void>('DELETE', path`/auth/sessions/${id}`),
  /** Revokes all sessions except this one. */
  endOthers: () => call<void>('DELETE', '/auth/sessions'),
  /** Revokes all sessions, including this one, and every trusted browser. */
  endAll: () => call<void>('DELETE', '/auth/sessions', { query: { include_current: true }, ends: true }),
  /** Returns whether the platform has an owner yet. */
  setup: () => call<SetupState>('GET', '/auth/setup'),
});

export const trustedBrowserCalls = (call: Call) => ({
  /** Returns the trusted browsers of the user. */
  list: () => call<TrustedBrowserList>('GET', '/auth/trusted-browsers'),
  /**
   * Trusts this browser for 30 days: a sign-in with password or emailed code then skips the second factor, and its
   * session has `aal1`.
   */
  add: (name?: string) =>
    call<TrustedBrowser>('POST', '/auth/trusted-browsers', { body: name === undefined ? {} : { name } }),
  /** Revokes the trust of a browser. */
  remove: (id: string) => call<void>('DELETE', path`/auth/trusted-browsers/${id}`),
});
