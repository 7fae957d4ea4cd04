import type { Deps } from '../../domain/context.ts';
import type { Config } from '../../platform/config/settings.ts';
import type { GivenCredential } from './credential.ts';
import { isSoundKey, isWholeSignature } from './public-key.ts';
import { ALGORITHMS, originsOf } from './relying-party.ts';

// Loaded on first use: the library takes tens of megabytes and a third of a second.
const loadLibrary = () => Promise.all([import('@simplewebauthn/server'), import('@simplewebauthn/server/helpers')]);

const text = (bytes: Buffer): string => bytes.toString('base64url');

const expected = (config: Config, challenge: Buffer) => ({
  expectedChallenge: text(challenge),
  expectedOrigin: originsOf(config),
  expectedRPID: config.PASSKEY_RP_ID,
  requireUserVerification: true,
});

type VerifyDeps = Pick<Deps, 'config' | 'log'>;

export interface Assertion {
  readonly sign_count: number;
  readonly device_type: 'singleDevice' | 'multiDevice';
  readonly backed_up: boolean;
}

/** Verifies challenge, origin, signature and user verification. Returns undefined if any of them is wrong. */
export async function verifyAssertion(
  { config, log }: VerifyDeps,
  given: GivenCredential,
  public_key: Buffer,
): Promise<Assertion | undefined> {
  const [{ verifyAuthenticationResponse }, helpers] = await loadLibrary();
  const { id, client_data, challenge, authenticator_data, signature } = given;
  if (!given.is_public_key || given.is_framed || !id || !client_data || !challenge) return undefined;
  if (!authenticator_data || !signature) return undefined;
  const answer = {
    clientDataJSON: text(client_data),
    authenticatorData: text(authenticator_data),
    signature: text(signature),
  };
  return unlessBroken(log, async () => {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      ...expected(config, challenge),
      response: { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {}, response: answer },
      // The counter is compared later, after the signature is known to be valid.
      credential: { id: text(id), publicKey: new Uint8Array(public_key), counter: 0 },
    });
    if (!verified || !isWholeSignature(helpers.decodeCredentialPublicKey(new Uint8Array(public_key)), signature))
      return undefined;
    const { newCounter: sign_count, credentialDeviceType: device_type, credentialBackedUp: backed_up } = info;
    return { sign_count, device_type, backed_up };
  });
}

export interface NewPasskey {
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  readonly sign_count: number;
  readonly device_type: 'singleDevice' | 'multiDevice';
  readonly backed_up: boolean;
  readonly aaguid: string;
}

/** Verifies a new passkey: challenge, origin, user verification and key. Returns undefined if any of them is wrong. */
export async function verifyNewPasskey(
  { config, log }: VerifyDeps,
  given: GivenCredential,
): Promise<NewPasskey | undefined> {
  const [{ verifyRegistrationResponse }, helpers] = await loadLibrary();
  const { id, client_data, challenge, attestation_object } = given;
  if (!given.is_public_key || given.is_framed || !id || !client_data || !challenge) return undefined;
  if (!attestation_object) return undefined;
  return unlessBroken(log, async () => {
    const authData = helpers.decodeAttestationObject(new Uint8Array(attestation_object)).get('authData');
    // Attestation is not verified: it would mean parsing untrusted certificates and fetching the URLs in them.
    const unattested = helpers.isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]) as never,
    );
    const answer = { clientDataJSON: text(client_data), attestationObject: text(Buffer.from(unattested)) };
    const { registrationInfo: info } = await verifyRegistrationResponse({
      ...expected(config, challenge),
      response: { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {}, response: answer },
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!info || info.credential.id !== text(id)) return undefined;
    const { publicKey, counter } = info.credential;
    if (!isSoundKey(helpers.decodeCredentialPublicKey(publicKey))) return undefined;
    // Throws for an invalid key, which would otherwise be noticed only at the first sign-in.
    await helpers.verifySignature({ signature: NO_SIGNATURE, data: NO_SIGNATURE, credentialPublicKey: publicKey });
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey),
      sign_count: counter,
      device_type: info.credentialDeviceType,
      backed_up: info.credentialBackedUp,
      aaguid: info.aaguid,
    };
  });
}

/** Well-formed for every algorithm (for ES256: r and s are 1), but not made by any key. */
const NO_SIGNATURE = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1);

/** Library errors are faults of the input. They are logged at debug level, to help find a wrong origin. */
async function unlessBroken<T>(log: Deps['log'], verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify();
  } catch (err) {
    log.debug({ err }, 'a passkey was rejected');
    return undefined;
  }
}
