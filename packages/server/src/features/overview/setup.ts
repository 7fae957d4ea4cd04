import type { SetupState } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { countPlatformOwners } from '../../domain/users/queries.ts';

/** GET /auth/setup: tells a user without console access whether a platform owner exists or setup is not finished. */
export const findSetup = async ({ db }: Deps): Promise<SetupState> => ({
  platform_owner: (await countPlatformOwners(db)) > 0,
});
