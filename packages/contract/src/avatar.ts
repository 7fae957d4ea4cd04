import { type Static, Type } from 'typebox';

/** docs/reference/accounts.md#profile: the public URL of the avatar, until it is replaced or removed. */
export const AvatarResponse = Type.Object({ avatar_url: Type.String() });
export type AvatarResponse = Static<typeof AvatarResponse>;
