import { badCredentials, notSignedIn } from '../../domain/service-error.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { findMfaOwner } from './queries.ts';

/** Holds the row of somebody who has just confirmed their password: it is still the one that was right. */
export async function requireOwner(
  tx: Tx,
  { user_id, checked_hash }: { user_id: string; checked_hash: string | null },
): Promise<NonNullable<Awaited<ReturnType<typeof findMfaOwner>>>> {
  const owner = await findMfaOwner(tx, user_id);
  if (owner?.status !== 'active') throw notSignedIn();
  if (owner.password_hash !== checked_hash) throw badCredentials();
  return owner;
}
