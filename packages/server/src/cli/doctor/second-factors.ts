import { countSecretsUnder } from '../../domain/mfa/queries.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import { counted } from '../support/text.ts';
import { command, type Finding, ok, warning } from './finding.ts';

/** docs/reference/sessions.md#secrets: a secret that cannot be unsealed matches no code, and must be reported. */
export async function examineSecondFactors(config: Config, db: Db): Promise<Finding> {
  const { current, previous } = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  const found = await countSecretsUnder(db, { current: current.id, previous: previous?.id });
  if (found.lost > 0) {
    return warning(
      'second factors',
      `JWT_SECRET does not decrypt ${counted(found.lost, 'authenticator secret')}: their codes never match`,
      `Set JWT_SECRET_PREVIOUS to the old secret and run ${command('keys rewrap')}. If it is lost: recovery codes and ` +
        'passkeys still work, and a platform admin can reset the MFA of users who have neither.',
    );
  }
  if (found.previous > 0) {
    return warning(
      'second factors',
      `${counted(found.previous, 'authenticator secret')} still encrypted with JWT_SECRET_PREVIOUS`,
      `Run ${command('keys rewrap')} before you unset it.`,
    );
  }
  return ok('second factors', `JWT_SECRET decrypts ${counted(found.current, 'authenticator secret')}`);
}
