import { createHash } from 'node:crypto';
import { recordAudit } from '../../domain/audit/record.ts';
import { deleteOtherAvatars, insertAvatar, updateAvatarId } from '../../domain/avatars/queries.ts';
import { avatarUrl } from '../../domain/avatars/url.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { transact } from '../../platform/db/transact.ts';
import { drawAvatar } from './picture.ts';

/**
 * docs/reference/accounts.md#profile: POST /users/me/avatar: stores the re-encoded picture and returns its public URL.
 */
export async function storeAvatar(
  deps: Deps,
  caller: Caller,
  { user_id }: SessionState,
  upload: Buffer,
): Promise<{ avatar_url: string }> {
  const image = await drawAvatar(upload, user_id);
  const id = avatarId(user_id, image);
  const now = deps.clock.now();

  await transact(deps.db, async (tx) => {
    if (!(await updateAvatarId(tx, { user_id, avatar_id: id, now }))) throw notSignedIn();
    await insertAvatar(tx, { id, user_id, image, created_at: now });
    await deleteOtherAvatars(tx, { user_id, keep: id });
    await recordAudit(tx, caller, {
      action: 'user.updated',
      now,
      resource_type: 'user',
      resource_id: user_id,
      metadata: { fields: ['avatar'] },
    });
  });

  return { avatar_url: avatarUrl(deps.config, id) };
}

/** Includes the user id: the same picture of two users is two rows, so that removing one keeps the other. */
const avatarId = (user_id: string, image: Buffer): string =>
  createHash('sha256').update(`${user_id}\0`).update(image).digest('hex');
