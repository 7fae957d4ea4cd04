import { createSigningKeys } from '../../domain/signing-keys/keys.ts';
import { listSigningKeys } from '../../domain/signing-keys/queries.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { sealedUnder } from '../../platform/crypto/seal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { counted } from '../support/text.ts';
import { command, type Finding, failed, ok, warning } from './finding.ts';
import { countMailsUnder } from './queries.ts';
import { between, lasting } from './times.ts';

const DAY_MS = 86_400_000;
const OLD_MS = 90 * DAY_MS;

const OTHER_SECRET =
  `Set JWT_SECRET to the old secret, or set JWT_SECRET_PREVIOUS to it and run ${command('keys rewrap')}. ` +
  `If it is lost, end its keys and sessions for good: ${command('keys reset')}.`;

/** Whether JWT_SECRET unseals the signing keys, and the age of the current one. */
export async function examineKeys(config: Config, db: Db, clock: Clock): Promise<Finding[]> {
  const CHECK = 'signing keys';
  const keys = createSigningKeys(db, clock, createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS));
  await keys.reload();
  const current = keys.current();
  if (!current) {
    if ((await listSigningKeys(db)).length === 0) return [ok(CHECK, 'none yet: the first start creates one')];
    return [failed(CHECK, 'JWT_SECRET decrypts none of them: with it, no session works', OTHER_SECRET)];
  }
  if (current.replacesSealed) {
    const detail = 'made under another JWT_SECRET than the keys before: sessions from before do not work';
    return [failed(CHECK, detail, OTHER_SECRET)];
  }
  const opened = ok(CHECK, `${keys.jwks().keys.length} published, signing with ${current.kid}`);
  const now = clock.now();
  const next = keys.all().find(({ signsFrom }) => signsFrom > now);
  if (next) return [opened, ok('key age', `the next key is published and signs in ${between(now, next.signsFrom)}`)];
  const age = now.getTime() - current.signsFrom.getTime();
  const detail = `the signing key is ${lasting(age)} old`;
  const fix = `Run ${command('keys rotate')}. It does not sign users out.`;
  const isTurned = config.SIGNING_KEY_MAX_AGE < Number.POSITIVE_INFINITY;
  return [opened, age > OLD_MS && !isTurned ? warning('key age', detail, fix) : ok('key age', detail)];
}

/** Whether JWT_SECRET_PREVIOUS is still needed. No finding if it is unset. */
export async function examinePrevious(config: Config, db: Db): Promise<Finding[]> {
  const CHECK = 'JWT_SECRET_PREVIOUS';
  const { current, previous } = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  if (!previous) return [];
  const all = [...(await listSigningKeys(db)), ...(await listSigningKeys(db, 'application_keys'))];
  const keys = all.filter(({ sealed_private_key: sealed }) => sealed && sealedUnder(sealed) === previous.id);
  const mails = await countMailsUnder(db, previous.id);
  if (keys.length > 0 || mails > 0) {
    const what = [
      keys.length > 0 && counted(keys.length, 'signing key'),
      mails > 0 && counted(mails, 'queued mail'),
    ].filter(Boolean);
    return [
      warning(
        CHECK,
        `${what.join(' and ')} still encrypted with it`,
        `Run ${command('keys rewrap')} before you unset it.`,
      ),
    ];
  }
  const days = lasting(config.REFRESH_TOKEN_TTL * 1000);
  const detail = `no signing key and no mail is encrypted with it (id ${previous.id}; now ${current.id}): unset it ${days} after the change (REFRESH_TOKEN_TTL). If it is the next secret, continue with the change: docs/operating.md`;
  return [ok(CHECK, detail)];
}
