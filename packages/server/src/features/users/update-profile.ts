import type { ProfileChange, User } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { lockActiveUser, updateProfile } from '../../domain/users/queries.ts';
import { transact } from '../../platform/db/transact.ts';
import { findMe } from './me.ts';

const FIELDS = ['display_name', 'locale'] as const;
type Profile = Pick<User, (typeof FIELDS)[number]>;

/** PATCH /users/me: only name and language. Unchanged fields are neither written nor audited. */
export async function updateOwnProfile(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  input: ProfileChange,
): Promise<User> {
  const { user_id } = session;
  const wanted = read(input);
  const current = await findMe(deps, session);
  if (changedFields(current, wanted).length === 0) return current;

  const now = deps.clock.now();
  await transact(deps.db, async (tx) => {
    const before = await lockActiveUser(tx, user_id);
    if (!before) throw notSignedIn();
    const fields = changedFields(before, wanted);
    if (fields.length === 0) return;
    await updateProfile(tx, { user_id, display_name: before.display_name, locale: before.locale, ...wanted, now });
    await recordAudit(tx, caller, {
      action: 'user.updated',
      now,
      resource_type: 'user',
      resource_id: user_id,
      metadata: { fields },
    });
    await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
  });

  return findMe(deps, session);
}

const changedFields = (before: Profile, wanted: Partial<Profile>) =>
  FIELDS.filter((field) => wanted[field] !== undefined && wanted[field] !== before[field]);

/** Reads only the two known fields. A blank name becomes null, and `de-ch` becomes `de-CH`. */
const read = ({ display_name, locale }: ProfileChange): Partial<Profile> => ({
  ...(display_name !== undefined && { display_name: display_name?.trim() || null }),
  ...(locale !== undefined && { locale: locale && Intl.getCanonicalLocales(locale)[0]! }),
});
