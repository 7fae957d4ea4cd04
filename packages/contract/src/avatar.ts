import { type Static, Type } from 'typebox';

/** The contract, section 2: where the picture is, for anyone, until it is replaced or removed. */
export const AvatarResponse = Type.Object({ avatar_url: Type.String() });
export type AvatarResponse = Static<typeof AvatarResponse>;
