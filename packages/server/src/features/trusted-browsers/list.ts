import { LIMITS, type TrustedBrowserList } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { listLiveBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { describeBrowser } from './describe.ts';

export async function listBrowsers(
  deps: Deps,
  { user_id }: SessionState,
  trust_hash: Buffer | undefined,
): Promise<TrustedBrowserList> {
  const rows = await listLiveBrowsers(deps.db, {
    user_id,
    trust_hash,
    now: deps.clock.now(),
    limit: LIMITS.trustedBrowsersPerUser,
  });
  return { items: rows.map((row) => ({ ...describeBrowser(row), current: row.current })) };
}
