import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Db } from '../../platform/db/connect.ts';
import { counted } from '../support/text.ts';
import { type Finding, ok, warning } from './finding.ts';
import { countStranded } from './queries.ts';

/** docs/reference/sign-in.md#relying-party: finds users whose passkeys belong to another relying party id. */
export async function examinePasskeys(config: Config, db: Db): Promise<Finding> {
  const id = config.PASSKEY_RP_ID;
  const { users, without_method } = await countStranded(db, relyingPartyOf(config));
  if (users === 0) return ok('passkeys', `all belong to ${id}`);
  return warning(
    'passkeys',
    `${counted(users, 'user')} with passkeys that do not belong to ${id} and cannot be used; ${without_method} of them with no other sign-in method than emailed codes`,
    'Set PASSKEY_RP_ID to the former domain if it is a parent of the present host. Otherwise these users sign in another way and add new passkeys.',
  );
}
