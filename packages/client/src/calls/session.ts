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

export const sessionCalls = (call: Call) => ({
  /** Who is signed in, and what they may do. */
  current: () => call<CurrentSession>('GET', '/auth/session'),
  /** Ends this session, here and at the service. Resolves also when nobody is signed in. */
  signOut: () => call<void>('POST', '/auth/logout', { as: 'optional', ends: true }),
  /**
   * Switches to another organization of the same user: opens a new session and ends the old one. Naming the current
   * organization returns a fresh access token of the same session, for example after the email was verified.
   */
  switchOrganization: (organization_id: string) =>
    call<LoginSuccess>('POST', '/auth/organization', { body: { organization_id }, turns: true }),
  /**
   * For a session that began with an emailed code in the last 15 minutes, while the email is not verified: verifies it
   * and removes everything that someone else may have added to the account, including every other session.
   */
  reclaim: () => call<void>('POST', '/auth/reclaim'),
  /** All living sessions of this person; `current` tells which is this one. */
  list: () => call<SessionList>('GET', '/auth/sessions'),
  /** Ends one of them, again and again without harm. For this one use `signOut`: `end` does not make the client forget its access token. */
  end: (id: string) => call<void>('DELETE', path`/auth/sessions/${id}`),
  /** Ends all but this one. */
  endOthers: () => call<void>('DELETE', '/auth/sessions'),
  /** Ends all of them, this one too. */
  endAll: () => call<void>('DELETE', '/auth/sessions', { query: { include_current: true }, ends: true }),
  /** Whether the platform has an owner yet. */
  setup: () => call<SetupState>('GET', '/auth/setup'),
});

export const trustedBrowserCalls = (call: Call) => ({
  /** The browsers that this person trusts. */
  list: () => call<TrustedBrowserList>('GET', '/auth/trusted-browsers'),
  /** Trusts this browser for 30 days: password or emailed code sign in here without a second factor, at `aal1`. */
  add: (name?: string) =>
    call<TrustedBrowser>('POST', '/auth/trusted-browsers', { body: name === undefined ? {} : { name } }),
  /** Trusts one no longer. */
  remove: (id: string) => call<void>('DELETE', path`/auth/trusted-browsers/${id}`),
});
