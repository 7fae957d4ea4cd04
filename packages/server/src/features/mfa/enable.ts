import type { MfaEnableRequest } from '@gatehouse/contract';
import { recordAudit } from '../../domain/audit/record.ts';
import { reauthenticate } from '../../domain/authorization/reauthenticate.ts';
import type { Deps } from '../../domain/context.ts';
import type { Caller } from '../../domain/kernel/caller.ts';
import { notSignedIn, ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { confirmSetup, findSetup, replaceRecoveryCodes, updateMfaEnabled } from '../../domain/mfa/queries.ts';
import { newRecoveryCodes } from '../../domain/mfa/recovery-codes.ts';
import { looksLikeCode, matchingStep } from '../../domain/mfa/totp.ts';
import { revokeTrustedBrowsers } from '../../domain/trusted-browsers/queries.ts';
import { notifyWithinLimit } from '../../domain/users/notify.ts';
import { unseal } from '../../platform/crypto/seal.ts';
import { transact } from '../../platform/db/transact.ts';
import { alreadyOn, noSetup } from './conflicts.ts';
import { issueVerified, markVerified, type VerifiedSession } from './verified.ts';

const action = 'mfa.enabled';
const CHECK = { about: 'enable totp', action, metadata: {} } as const;

/** POST /auth/mfa/enable: the first code of the app → MFA is on, and this session is verified (`aal2`). */
export async function enable(
  deps: Deps,
  caller: Caller,
  session: SessionState,
  { code }: MfaEnableRequest,
): Promise<VerifiedSession & { recovery_codes: string[] }> {
  if (!looksLikeCode(code)) throw new ServiceError('invalid_input', 'code: must be 6 digits');
  const { user_id } = session;
  const { sealed_secret, step } = await requireFirstCode(deps, caller, session, code);
  const { codes, hashes } = newRecoveryCodes();

  const now = deps.clock.now();
  const verification = await transact(deps.db, async (tx) => {
    // Locks the user's row first: a concurrent sign-in without a second factor waits for it.
    const owner = await updateMfaEnabled(tx, user_id, now);
    if (!owner) throw alreadyOn();
    if (!(await confirmSetup(tx, { user_id, sealed_secret, step, now }))) throw noSetup();
    await replaceRecoveryCodes(tx, { user_id, hashes, now });
    await revokeTrustedBrowsers(tx, user_id, now);
    const verified = await markVerified(tx, deps, session, now);
    // Invalidates cached states of the user's sessions: restricted ones must now verify the second factor.
    await deps.bus.announce(tx, now, [{ topic: 'user', key: user_id }]);
    await recordAudit(tx, caller, { action, now, resource_type: 'user', resource_id: user_id, metadata: {} });
    await notifyWithinLimit(tx, deps, owner, { template: 'mfa_enabled', params: {} });
    return verified;
  });
  return { ...(await issueVerified(deps, session, verification)), recovery_codes: codes };
}

async function requireFirstCode(deps: Deps, caller: Caller, session: SessionState, code: string) {
  const { user_id } = session;
  const setup = await findSetup(deps.db, user_id);
  if (!setup) throw notSignedIn();
  if (setup.mfa_enabled_at !== null) throw alreadyOn();
  const { sealed_secret, pending_until } = setup;
  const now = deps.clock.now();
  if (sealed_secret === null || pending_until === null || pending_until <= now) throw noSetup();
  const secret = unseal(deps.keyring, { purpose: 'totp', row: user_id }, sealed_secret);
  const step = await reauthenticate(deps, caller, session, CHECK, () => secret && matchingStep(secret, code, now));
  return { sealed_secret, step };
}
