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
});
export type Passkey = Static<typeof Passkey>;

export const PasskeyList = Type.Object({ items: Type.Array(Passkey) });
export type PasskeyList = Static<typeof PasskeyList>;

export const PasskeyLoginBeginRequest = Type.Object({ email: Type.Optional(Email) });
export type PasskeyLoginBeginRequest = Static<typeof PasskeyLoginBeginRequest>;

/** §4.3 */
export const PasskeyLoginRequest = Type.Object({
  credential: CeremonyJson('The result of `navigator.credentials.get`, as `toJSON()` returns it.'),
  organization_id: Type.Optional(Uuid),
});
export type PasskeyLoginRequest = Static<typeof PasskeyLoginRequest>;
