import { listHashKeys } from '../../domain/passwords/hashes/queries.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import { sealedUnder } from '../../platform/crypto/seal.ts';
import type { Db } from '../../platform/db/connect.ts';
import { counted } from '../support/text.ts';
import { command, type Finding, ok, warning } from './finding.ts';

/** Whether the keys of imported hashes can be unsealed: without its key, a hash matches no password. */
export async function examineHashKeys(config: Config, db: Db): Promise<Finding[]> {
  const { current, previous } = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  const under = (await listHashKeys(db)).map(({ sealed_key }) => sealedUnder(sealed_key));
  const lost = under.filter((id) => id !== current.id && id !== previous?.id).length;
  if (lost > 0) {
    return [
      warning(
        'imported hashes',
        `JWT_SECRET does not decrypt ${counted(lost, 'imported hash key')}: no password checked with it matches`,
        `Set JWT_SECRET_PREVIOUS to the old secret and run ${command('keys rewrap')}. If it is lost: users who still have a ` +
          'Firebase hash sign in with an emailed code, or reset their password.',
      ),
    ];
  }
  const waiting = under.filter((id) => id !== current.id).length;
  if (waiting > 0) {
    return [
      warning(
        'imported hashes',
        `${counted(waiting, 'imported hash key')} still encrypted with JWT_SECRET_PREVIOUS`,
        `Run ${command('keys rewrap')} before you unset it.`,
      ),
    ];
  }
  return under.length === 0
    ? []
    : [ok('imported hashes', `JWT_SECRET decrypts ${counted(under.length, 'imported hash key')}`)];
}
