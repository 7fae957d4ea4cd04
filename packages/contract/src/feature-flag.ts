import { type Static, Type } from 'typebox';
import { LIMITS } from './limits.ts';
import { Nullable, Token, Uuid } from './text.ts';

/** Any object with any keys: a serializer must neither validate nor drop them. */
const Payload = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  additionalProperties: true,
  description: `Any object of at most ${LIMITS.flagValue.bytes} bytes as JSON and ${LIMITS.flagValue.depth} levels, or null.`,
});

const Scope = Type.String({ format: 'uuid', description: 'Null: the default for every organization.' });

export const FlagKey = Token(LIMITS.flagKey);

/** §2.4 */
export const FeatureFlag = Type.Object({
  flag_key: FlagKey,
  organization_id: Nullable(Scope),
  enabled: Type.Boolean(),
  value: Payload,
});
export type FeatureFlag = Static<typeof FeatureFlag>;

/** §4.11: the body of a PUT. It replaces the row, so a `value` that is left out is null. */
export const FlagChange = Type.Object(
  {
    flag_key: FlagKey,
    organization_id: Type.Optional(Nullable(Scope)),
    enabled: Type.Boolean(),
    value: Type.Optional(Payload),
  },
  { examples: [{ flag_key: 'new-dashboard', enabled: true, value: { percent: 25 } }] },
);
export type FlagChange = Static<typeof FlagChange>;

/** A flag as one organization sees it. */
export const FlagState = Type.Object({ enabled: Type.Boolean(), value: Payload });
export type FlagState = Static<typeof FlagState>;

export const FlagMap = Type.Record(Type.String(), FlagState);
export type FlagMap = Static<typeof FlagMap>;

/** The scope of a row. Left out: the default for every organization. */
export const FlagScope = Type.Object({ organization_id: Type.Optional(Uuid) });
export type FlagScope = Static<typeof FlagScope>;
