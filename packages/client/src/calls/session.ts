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
  current: () => call<CurrentSession>('GET', '/auth/session'),
  signOut: () => call<void>('POST', '/auth/logout', { as: 'optional', ends: true }),
  /** The session goes on in another organization of the same person. */
  switchOrganization: (organization_id: string) =>
    call<LoginSuccess>('POST', '/auth/organization', { body: { organization_id }, turns: true }),
  list: () => call<SessionList>('GET', '/auth/sessions'),
  end: (id: string) => call<void>('DELETE', path`/auth/sessions/${id}`),
  endOthers: () => call<void>('DELETE', '/auth/sessions'),
  endAll: () => call<void>('DELETE', '/auth/sessions', { query: { include_current: true }, ends: true }),
  /** Whether the platform has an owner yet. */
  setup: () => call<SetupState>('GET', '/auth/setup'),
});

export const trustedBrowserCalls = (call: Call) => ({
  list: () => call<TrustedBrowserList>('GET', '/auth/trusted-browsers'),
  add: (name?: string) =>
    call<TrustedBrowser>('POST', '/auth/trusted-browsers', { body: name === undefined ? {} : { name } }),
  remove: (id: string) => call<void>('DELETE', path`/auth/trusted-browsers/${id}`),
});
