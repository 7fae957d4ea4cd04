import { isEmail, normalizeEmail } from '@gatehouse/contract';
import { hasActivePlatformOwner } from '../../domain/memberships/queries.ts';
import { countPlatformOwners, findUserByEmail, isMilestoneReached } from '../../domain/users/queries.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { Db } from '../../platform/db/connect.ts';
import { command, type Finding, ok, warning } from './finding.ts';

const CHECK = 'platform owner';
const grant = (email = '<email>') => command(`admin grant ${email}`);

/** INITIAL_OWNER_EMAIL must be an address that an account can have. */
export function examineInitialOwner({ INITIAL_OWNER_EMAIL }: Config): Finding[] {
  if (INITIAL_OWNER_EMAIL === undefined || isEmail(INITIAL_OWNER_EMAIL)) return [];
  const detail = `${JSON.stringify(INITIAL_OWNER_EMAIL)} is not an email address: no account can become platform owner`;
  return [warning('INITIAL_OWNER_EMAIL', detail, `Correct it, or unset it and run ${grant()}.`)];
}

/** §1: there must be a platform owner; if there is none, reports why INITIAL_OWNER_EMAIL has not become one yet. */
export async function examineOwner({ INITIAL_OWNER_EMAIL, NODE_ENV }: Config, db: Db): Promise<Finding> {
  const owners = await countPlatformOwners(db);
  if (owners > 0 && (await hasActivePlatformOwner(db))) {
    return ok(CHECK, owners === 1 ? 'there is one' : `there are ${owners}`);
  }
  if (owners > 0) {
    const fix = `Restore an organization of an owner, invite an owner to one, or run ${grant()} for a user who has one.`;
    return warning(CHECK, 'no platform owner has an organization to sign in to', fix);
  }
  const none = (why: string, fix: string) => warning(CHECK, `there is none${why}`, fix);
  if (INITIAL_OWNER_EMAIL === undefined || !isEmail(INITIAL_OWNER_EMAIL)) {
    return none('', `Register, then run ${grant()}; or set INITIAL_OWNER_EMAIL before that user registers.`);
  }
  const email = normalizeEmail(INITIAL_OWNER_EMAIL);
  if (await isMilestoneReached(db, 'initial_owner')) {
    return none(': INITIAL_OWNER_EMAIL applies once, and was already applied', `Run ${grant()}.`);
  }
  const user = await findUserByEmail(db, email);
  const verified = NODE_ENV === 'production' ? ' and open the link in the verification mail in the same browser' : '';
  if (!user) return none(`: ${email} is not registered yet`, `Register with that email${verified}.`);
  if (user.status !== 'active') {
    return none(`: the account ${email} is disabled`, `Enable it and restart the service, or run ${grant()}.`);
  }
  if (NODE_ENV === 'production' && user.email_verified_at === null) {
    const fix =
      `If you registered it, open the link in its verification mail in that browser. If not, open it anywhere: ` +
      `everything in the account is removed. Then set a password with "forgot password". Or run ${grant(email)}.`;
    return none(`: the account ${email} exists, but its email is not verified`, fix);
  }
  return none(
    `: the account ${email} becomes platform owner at the next start`,
    `Restart the service, or run ${grant(email)}.`,
  );
}
