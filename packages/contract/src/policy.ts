import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { Nullable } from './text.ts';

/** The first factors of a sign-in, as a policy names them. A second factor is not one of them. */
export const PolicyMethod = Type.Enum(['password', 'passkey', 'email_otp', 'oauth', 'sso']);
export type PolicyMethod = Static<typeof PolicyMethod>;

/** docs/reference/policy-and-sso.md#policy: what an organization requires of the sessions of its members. */
export const Policy = Type.Object({
  require_mfa: Type.Boolean({
    description: 'Sessions without a second factor are restricted until one is set up or verified.',
  }),
  allowed_methods: Nullable(
    Type.Array(PolicyMethod, { description: 'The allowed first factors. Null: all.', examples: [['passkey']] }),
  ),
  session_max_age_seconds: Nullable(
    Type.Integer({ description: 'Counted from the sign-in. Null: only SESSION_MAX_AGE applies.', examples: [43_200] }),
  ),
  allowed_networks: Type.Array(Type.String(), {
    description: 'IP addresses and CIDR ranges from which sessions can be used. Empty: all.',
    examples: [['192.0.2.0/24']],
  }),
  sso_required: Type.Boolean({
    description: 'Members with an email in a verified domain of the organization must use single sign-on.',
  }),
});
export type Policy = Static<typeof Policy>;

/** The body of a PUT. It replaces the policy, so a field that is left out gets its default. */
export const PolicyChange = Type.Object(
  {
    require_mfa: Type.Optional(Type.Boolean()),
    allowed_methods: Type.Optional(Nullable(Type.Array(PolicyMethod, { minItems: 1, maxItems: 100 }))),
    session_max_age_seconds: Type.Optional(
      Nullable(Type.Integer({ minimum: LIMITS.policy.minAge, maximum: LIMITS.policy.maxAge })),
    ),
    allowed_networks: Type.Optional(
      Type.Array(Type.String({ format: 'token', minLength: 1, maxLength: 64 }), { maxItems: LIMITS.policy.networks }),
    ),
    sso_required: Type.Optional(Type.Boolean()),
  },
  { examples: [{ require_mfa: false }] },
);
export type PolicyChange = Static<typeof PolicyChange>;

/** How many members each rule would affect; a rule that is not set affects none. */
export const PolicyPreview = Type.Object({
  members: Type.Integer({ description: 'Active members.' }),
  require_mfa: Type.Integer({ description: 'Members without a second factor.' }),
  sso_required: Type.Integer({ description: 'Members with an email in a verified domain of the organization.' }),
  allowed_methods: Type.Integer({ description: 'Members with a session that began with another first factor.' }),
  session_max_age_seconds: Type.Integer({ description: 'Members with a session that is too old.' }),
  allowed_networks: Type.Integer({ description: 'Members with a session that was opened from another address.' }),
});
export type PolicyPreview = Static<typeof PolicyPreview>;

/** Why a session is restricted: its user has no second factor, or has not verified it in this session. */
export const Restriction = Type.Enum(['mfa_enrollment', 'mfa_verification'], {
  description:
    'Present if the policy of the organization requires a second factor that this session does not have. Until it is set up or verified, only a few endpoints accept the session, and local verifiers reject its access token.',
});
export type Restriction = Static<typeof Restriction>;
