import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from './text.ts';

export const Jwk = Type.Object({
  kty: Type.Literal('RSA'),
  use: Type.Literal('sig'),
  alg: Type.Literal('RS256'),
  kid: Type.String(),
  n: Type.String(),
  e: Type.String(),
});
export type Jwk = Static<typeof Jwk>;

export const Jwks = Type.Object({ keys: Type.Array(Jwk) });
export type Jwks = Static<typeof Jwks>;

export const DiscoveryDocument = Type.Object({
  issuer: Type.String(),
  jwks_uri: Type.String(),
  id_token_signing_alg_values_supported: Type.Array(Type.String()),
  subject_types_supported: Type.Array(Type.String()),
  response_types_supported: Type.Array(Type.String()),
  claims_supported: Type.Array(Type.String()),
  revocation_feed_uri: Type.String(),
});
export type DiscoveryDocument = Static<typeof DiscoveryDocument>;

export const Revocation = Type.Object({ sid: Uuid, revoked_at: Timestamp, expires_at: Timestamp });
export type Revocation = Static<typeof Revocation>;

export const StaleRoles = Type.Object({
  key: Type.String({ description: 'Base64url of the SHA-256 of `<org>/<sub>`, of `<org>` or of `*`.' }),
  before: Type.Integer({
    description: 'Milliseconds since 1970. A token is stale if its `perms_at` is less: its holder must refresh it.',
  }),
  expires_at: Timestamp,
});
export type StaleRoles = Static<typeof StaleRoles>;

export const RevocationFeed = Type.Object({
  generated_at: Timestamp,
  max_staleness_seconds: Type.Integer(),
  cursor: Type.String({
    description: 'Send it as `?after=<cursor>` to get the entries added since. Valid at every replica.',
  }),
  partial: Type.Optional(
    Type.Boolean({ description: 'True: only entries that were added since the cursor in `after`.' }),
  ),
  revocations: Type.Array(Revocation),
  refreshes: Type.Array(StaleRoles, { description: 'Changes of roles and permissions. One entry per key.' }),
});
export type RevocationFeed = Static<typeof RevocationFeed>;
