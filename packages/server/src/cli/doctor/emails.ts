import { isEmail, NIL_UUID, normalizeEmail } from '@gatehouse/contract';
import type { Db } from '../../platform/db/connect.ts';
import { counted } from '../support/text.ts';
import { type Finding, ok, warning } from './finding.ts';
import { listForeignEmails } from './queries.ts';

const CHECK = 'email addresses';
const BATCH = 1_000;
const MAX_CHECKED = 20_000;
const MAX_NAMED = 5;

/** Finds accounts whose address is invalid under the current rules and therefore cannot be used to sign in. */
export async function examineEmails(db: Db): Promise<Finding> {
  const invalid: string[] = [];
  let [checked, last] = [0, NIL_UUID];
  for (let batch = BATCH; batch === BATCH && checked < MAX_CHECKED; checked += batch) {
    const rows = await listForeignEmails(db, last, BATCH);
    invalid.push(...rows.filter(({ email }) => normalizeEmail(email) !== email || !isEmail(email)).map(({ id }) => id));
    last = rows.at(-1)?.id ?? last;
    batch = rows.length;
  }
  const part = checked >= MAX_CHECKED ? ` of the first ${MAX_CHECKED} with non-ASCII characters` : '';
  if (invalid.length === 0) return ok(CHECK, checked === 0 ? 'all ASCII' : `all valid under the current rules${part}`);
  const more = invalid.length > MAX_NAMED ? ' and others' : '';
  return warning(
    CHECK,
    `${counted(invalid.length, 'account')}${part} cannot be signed in to by email: the stored address is not valid under the current rules`,
    `Change each address in psql: update users set email = '<new address, in lower case>', email_verified_at = null where id = '<id>'; with the ids ${invalid.slice(0, MAX_NAMED).join(', ')}${more}. All candidates: select id, email from users where status <> 'deleted' and octet_length(email) > char_length(email);`,
  );
}
