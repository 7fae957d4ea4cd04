import { countSecretsUnder } from '../../domain/mfa/queries.ts';
import type { Config } from '../../platform/config/settings.ts';
import { createKeyring } from '../../platform/crypto/keyring.ts';
import type { Db } from '../../platform/db/connect.ts';
import { counted } from '../support/text.ts';
import { command, type Finding, ok, warning } from './finding.ts';

/** The contract, section 4: a secret that cannot be unsealed matches no code, and somebody must be told. */
export async function examineSecondFactors(config: Config, db: Db): Promise<Finding> {
  const { current, previous } = createKeyring(config.JWT_SECRET, config.JWT_SECRET_PREVIOUS);
  const found = await countSecretsUnder(db, { current: current.id, previous: previous?.id });
  if (found.lost > 0) {
    return warning(
      'second factors',
      `JWT_SECRET does not open ${counted(found.lost, 'authenticator secret')}: no code of theirs matches`,
      `Put the old secret into JWT_SECRET_PREVIOUS and run ${command('keys rewrap')}. If it is gone: recovery codes and ` +
        'passkeys go on working, and a platform admin can reset the MFA of who has neither.',
    );
  }
  if (found.previous > 0) {
    return warning(
      'second factors',
      `${counted(found.previous, 'authenticator secret')} still under JWT_SECRET_PREVIOUS`,
      `Run ${command('keys rewrap')} before you unset it.`,
    );
  }
  return ok('second factors', `JWT_SECRET opens ${counted(found.current, 'authenticator secret')}`);
}
