import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from './text.ts';

/** What an authorization request needs from the user. */
export const INTERACTION_KINDS = ['sign_in', 'mfa', 'consent', 'organization', 'device', 'logout'] as const;
export type InteractionKind = (typeof INTERACTION_KINDS)[number];

/** A step of an authorization request that the user decides about, in the browser in which the request began. */
export const Interaction = Type.Object({
  id: Uuid,
  kind: Type.Enum([...INTERACTION_KINDS]),
  application: Nullable(Type.Object({ client_id: Type.String(), name: Type.String() })),
  scopes: Type.Array(Type.String()),
  organizations: Type.Array(Type.Object({ id: Uuid, name: Type.String() }), {
    description: 'The organizations that the user can choose; the one of the session first.',
  }),
  requested_from: Nullable(Type.String({ description: 'The client address of the request.' })),
  requested_at: Timestamp,
  expires_at: Timestamp,
  reauthenticate: Type.Boolean({
    description: 'For the kind `sign_in`: the user must sign in again, even if a session exists.',
  }),
  login_hint: Nullable(Type.String({ description: 'The email address that the application expects.' })),
});
export type Interaction = Static<typeof Interaction>;

/** `allow` in an interaction of kind `sign_in` or `mfa` continues with the session that the user now has. */
export const InteractionDecision = Type.Object(
  {
    decision: Type.Enum(['allow', 'deny']),
    organization_id: Type.Optional(Uuid),
  },
  { examples: [{ decision: 'deny' }] },
);
export type InteractionDecision = Static<typeof InteractionDecision>;

export const InteractionResult = Type.Object({
  redirect_to: Nullable(
    Type.String({ description: 'Where the browser goes next: to the application, or to the page of the next step.' }),
  ),
});
export type InteractionResult = Static<typeof InteractionResult>;
