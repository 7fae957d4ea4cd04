import { LIMITS, type PasskeyOptions } from '@gatehouse/contract';
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server';
import type { Deps } from '../../domain/context.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import type { SessionState } from '../../domain/kernel/session-state.ts';
import { sealChallenge } from '../../domain/passkeys/challenge.ts';
import { listCredentials } from '../../domain/passkeys/queries.ts';
import { ALGORITHMS, descriptorOf, userHandleOf } from './relying-party.ts';

/** POST /users/me/passkeys/register/begin: the browser's options for creating a passkey. Nothing is stored. */
export async function beginRegistration(deps: Deps, session: SessionState): Promise<PasskeyOptions> {
  const known = await listCredentials(deps.db, session.user_id, relyingPartyOf(deps.config));
  if (known.length >= LIMITS.passkey.perUser) throw tooManyPasskeys();
  const { user_id: subject, email, email_verified_at, display_name } = session;
  const kind = email_verified_at === null ? 'register_unproven' : 'register';
  const challenge = sealChallenge(deps.keyring, { kind, subject }, deps.clock.now());
  const publicKey = {
    // Some authenticators show this name; users know the host better than the product.
    rp: { id: deps.config.PASSKEY_RP_ID, name: deps.config.PASSKEY_RP_ID },
    user: { id: userHandleOf(subject).toString('base64url'), name: email, displayName: display_name ?? email },
    challenge: challenge.toString('base64url'),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: LIMITS.passkey.challenge * 1000,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'required' },
    excludeCredentials: known.filter(({ usable }) => usable).map(descriptorOf),
  } satisfies PublicKeyCredentialCreationOptionsJSON;
  return { publicKey };
}

export const tooManyPasskeys = () =>
  new ServiceError('conflict', `you have ${LIMITS.passkey.perUser} passkeys; remove one first`);
