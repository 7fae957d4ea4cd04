import { type Static, Type } from 'typebox';

export const SetupState = Type.Object({
  platform_owner: Type.Boolean({ description: 'Somebody active has the platform role `owner`.' }),
});
export type SetupState = Static<typeof SetupState>;
