import { isEmail, NIL_UUID, normalizeEmail } from '@gatehouse/contract';
import type { Db } from '../../platform/db/connect.ts';
import { counted } from '../support/text.ts';
import { type Finding, ok, warning } from './finding.ts';
import { listForeignEmails } from './queries.ts';

const CHECK = 'email addresses';
const BATCH = 1_000;
const MOST = 20_000;
const NAMED = 5;

/** Accounts whose address was stored before today's rule for it: nobody can type it, so nobody signs in by it. */
export async function examineEmails(db: Db): Promise<Finding> {
  const stranded: string[] = [];
  let [looked, last] = [0, NIL_UUID];
  for (let batch = BATCH; batch === BATCH && looked < MOST; looked += batch) {
    const rows = await listForeignEmails(db, last, BATCH);
    stranded.push(
      ...rows.filter(({ email }) => normalizeEmail(email) !== email || !isEmail(email)).map(({ id }) => id),
    );
    last = rows.at(-1)?.id ?? last;
    batch = rows.length;
  }
  const part = looked >= MOST ? ` of the first ${MOST} with non-ASCII characters` : '';
  if (stranded.length === 0) return ok(CHECK, looked === 0 ? 'all ASCII' : `all valid under the current rules${part}`);
  const more = stranded.length > NAMED ? ' and others' : '';
  return warning(
    CHECK,
    `${counted(stranded.length, 'account')}${part} cannot be signed in to by email: the stored address is not valid under the current rules`,
    `Change each address in psql: update users set email = '<new address, in lower case>', email_verified_at = null where id = '<id>'; with the ids ${stranded.slice(0, NAMED).join(', ')}${more}. All candidates: select id, email from users where status <> 'deleted' and octet_length(email) > char_length(email);`,
  );
}
