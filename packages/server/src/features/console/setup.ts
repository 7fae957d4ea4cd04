import type { SetupState } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countPlatformOwners } from '../../domain/users/queries.ts';

/** GET /auth/setup: who may not use the console learns whether somebody may, or the first step is still to be taken. */
export const findSetup = async ({ db }: Deps): Promise<SetupState> => ({
  platform_owner: (await countPlatformOwners(db)) > 0,
});
