import { type Static, Type } from 'typebox';

export const SetupState = Type.Object({
  platform_owner: Type.Boolean({ description: 'Whether an active user has the platform role `owner`.' }),
});
export type SetupState = Static<typeof SetupState>;
