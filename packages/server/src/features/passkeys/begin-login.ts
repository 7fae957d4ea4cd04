import {
  LIMITS,
  NIL_UUID,
  normalizeEmail,
  type PasskeyLoginBeginRequest,
  type PasskeyOptions,
} from '@gatehouse/contract';
import type { PublicKeyCredentialDescriptorJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Deps } from '../../domain/context.ts';
import { relyingPartyOf } from '../../domain/kernel/relying-party.ts';
import { decoyUserId } from '../../domain/one-time/answer-by-mail.ts';
import { sealChallenge } from '../../domain/passkeys/challenge.ts';
import { findCredentialsByEmail } from '../../domain/passkeys/queries.ts';
import { inFixedTime } from '../../platform/fixed-time.ts';
import { decoysFor, MAX_DECOYS } from './decoys.ts';
import { descriptorOf } from './relying-party.ts';

/**
 * POST /auth/passkey/login/begin: the browser's options for using a passkey. Not limited: nothing is stored, and the
 * response does not reveal whether the address has an account.
 */
export async function beginLogin(deps: Deps, { email: typed }: PasskeyLoginBeginRequest): Promise<PasskeyOptions> {
  const { subject, allowCredentials } = typed === undefined ? ANYONE : await optionsFor(deps, normalizeEmail(typed));
  const challenge = sealChallenge(deps.keyring, { kind: 'login', subject }, deps.clock.now());
  const publicKey = {
    rpId: deps.config.PASSKEY_RP_ID,
    challenge: challenge.toString('base64url'),
    timeout: LIMITS.passkey.challenge * 1000,
    userVerification: 'required',
    ...(allowCredentials && { allowCredentials }),
  } satisfies PublicKeyCredentialRequestOptionsJSON;
  return { publicKey };
}

interface LoginOptions {
  readonly subject: string;
  readonly allowCredentials?: PublicKeyCredentialDescriptorJSON[];
}

/** Options for a login without an email: the authenticator's response names the user. */
const ANYONE: LoginOptions = { subject: NIL_UUID };

/**
 * One query, and the same work, for every address. Reading rows still takes the database some microseconds longer than
 * finding none, which many requests could measure: so the response is sent at a fixed time.
 */
const optionsFor = ({ config, db, keyring }: Deps, email: string): Promise<LoginOptions> =>
  inFixedTime(async () => {
    const offer = { relyingParty: relyingPartyOf(config), limit: MAX_DECOYS };
    const { user_id, credentials } = await findCredentialsByEmail(db, email, offer);
    const [decoys, derived] = [decoysFor(keyring, email), decoyUserId(keyring, email)];
    const shown = credentials.length > 0 ? credentials : decoys;
    return { subject: user_id ?? derived, allowCredentials: shown.map(descriptorOf) };
  });
