import type { PasskeyList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { listPasskeys } from '../../domain/passkeys/queries.ts';
import { describePasskey } from './describe.ts';

export const listOwnPasskeys = async (deps: Deps, { user_id }: SessionState): Promise<PasskeyList> => ({
  items: (await listPasskeys(deps.db, user_id, relyingPartyOf(deps.config))).map(describePasskey),
});
