import { type Static, Type } from 'typebox';
import { Name, Nullable, Timestamp, Uuid } from './text.ts';

export const TrustBrowserRequest = Type.Object({ name: Type.Optional(Name(120)) });
export type TrustBrowserRequest = Static<typeof TrustBrowserRequest>;

export const TrustedBrowser = Type.Object({
  id: Uuid,
  name: Type.String(),
  user_agent: Nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  expires_at: Timestamp,
});
export type TrustedBrowser = Static<typeof TrustedBrowser>;

/** `current`: the browser of the request. */
export const TrustedBrowserList = Type.Object({
  items: Type.Array(Type.Object({ ...TrustedBrowser.properties, current: Type.Boolean() })),
});
export type TrustedBrowserList = Static<typeof TrustedBrowserList>;
