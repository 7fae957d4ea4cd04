import { type Static, Type } from 'typebox';
import { Email } from './email.ts';
import { Name, Nullable, Timestamp, Uuid } from './text.ts';

/** Input and output of the browser's credential API, in the JSON form of WebAuthn Level 3. */
const CeremonyJson = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description });

export const PasskeyOptions = Type.Object({
  publicKey: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description:
      'Options for `navigator.credentials`: parse them with `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.',
  }),
});
export type PasskeyOptions = Static<typeof PasskeyOptions>;

export const PasskeyRegisterRequest = Type.Object({
  credential: CeremonyJson('The result of `navigator.credentials.create`, as `toJSON()` returns it.'),
  name: Type.Optional(Name(120)),
});
export type PasskeyRegisterRequest = Static<typeof PasskeyRegisterRequest>;

export const PasskeyRenameRequest = Type.Object({ name: Name(120) });
export type PasskeyRenameRequest = Static<typeof PasskeyRenameRequest>;

export const Passkey = Type.Object({
  id: Uuid,
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  device_type: Type.Enum(['singleDevice', 'multiDevice']),
  backed_up: Type.Boolean(),
  transports: Type.Array(Type.String()),
  aaguid: Uuid,
  rp_id: Type.String({ description: 'The domain that it belongs to.' }),
  usable: Type.Boolean({
    description: 'False: it belongs to a former domain of the service and cannot be used to sign in.',
  }),
});
export type Passkey = Static<typeof Passkey>;

export const PasskeyList = Type.Object({ items: Type.Array(Passkey) });
export type PasskeyList = Static<typeof PasskeyList>;

export const PasskeyLoginBeginRequest = Type.Object({ email: Type.Optional(Email) });
export type PasskeyLoginBeginRequest = Static<typeof PasskeyLoginBeginRequest>;

/** https://www.w3.org/TR/webauthn-3/#sctn-related-origins */
export const RelatedOrigins = Type.Object({ origins: Type.Array(Type.String()) });
export type RelatedOrigins = Static<typeof RelatedOrigins>;

/** §4.3 */
export const PasskeyLoginRequest = Type.Object({
  credential: CeremonyJson('The result of `navigator.credentials.get`, as `toJSON()` returns it.'),
  organization_id: Type.Optional(Uuid),
});
export type PasskeyLoginRequest = Static<typeof PasskeyLoginRequest>;
