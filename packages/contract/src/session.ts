import { type Static, Type } from 'typebox';
import { Aal, AuthMethod } from './access-token.ts';
import { Capabilities, SessionUser } from './login-response.ts';
import { Nullable, Timestamp, Uuid } from './text.ts';

export const RefreshResponse = Type.Object({ access_token: Type.String(), expires_in: Type.Integer() });
export type RefreshResponse = Static<typeof RefreshResponse>;

export const CurrentSession = Type.Object({ user: SessionUser, capabilities: Capabilities });
export type CurrentSession = Static<typeof CurrentSession>;

export const OrganizationSwitchRequest = Type.Object({ organization_id: Uuid });
export type OrganizationSwitchRequest = Static<typeof OrganizationSwitchRequest>;

/** An entry of the session list; `id` is the session id, which is also the id of its family. */
export const SessionItem = Type.Object({
  id: Uuid,
  current: Type.Boolean(),
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
  ip_address: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  device: Type.String({
    description: 'The browser and operating system, derived from the User-Agent header.',
    examples: ['Firefox on Linux'],
  }),
  auth_method: AuthMethod,
  aal: Aal,
  organization_id: Uuid,
});
export type SessionItem = Static<typeof SessionItem>;

export const SessionList = Type.Object({ items: Type.Array(SessionItem) });
export type SessionList = Static<typeof SessionList>;
