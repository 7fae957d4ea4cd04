import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type Browser, createBrowser, registerUser, type TestUser } from './browser.ts';
import { fastRsaKey } from './fast-rsa.ts';

/** The result of `toJSON()` on a credential of `navigator.credentials`. */
export interface GivenCredential {
  id: string;
  rawId: string;
  type: string;
  authenticatorAttachment: string;
  clientExtensionResults: Record<string, unknown>;
  response: Record<string, unknown>;
}

type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

interface Kind {
  readonly origin?: string;
  readonly algorithm?: Algorithm;
  /** Default: random. */
  readonly credential_id?: Buffer;
  /** If false, the signature counter is always 0. */
  readonly counts?: boolean;
  /** Whether the passkey is backed up to a cloud and available on several devices. */
  readonly synced?: boolean;
  readonly transports?: readonly string[];
}

/** Values that a malicious or broken device sends instead of the correct ones. */
export interface Tampering {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** `type` of the client data: `webauthn.get` or `webauthn.create`. */
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly user_present?: boolean;
  readonly user_verified?: boolean;
  readonly counter?: number;
  readonly user_handle?: string | null;
  readonly signature?: (right: Buffer) => Buffer;
  readonly signs_with?: Authenticator;
  /** Replaces the public key; CBOR. */
  readonly public_key?: Buffer;
  readonly attestation?: { fmt: string; attStmt: Map<unknown, unknown> };
  readonly backup_flags?: { eligible: boolean; state: boolean };
  readonly credential_id?: Buffer;
  /** Extensions in the authenticator data; CBOR. */
  readonly extensions?: Buffer;
}

// biome-ignore lint/suspicious/noExplicitAny: options as they come over the wire
type Options = any;

export interface Authenticator {
  /** The credential id in base64url. */
  readonly id: string;
  readonly credential_id: Buffer;
  readonly aaguid: string;
  readonly private_key: KeyObject;
  counter: number;
  /** Like `navigator.credentials.create`, with the options of `register/begin`. */
  create(publicKey: Options, tampering?: Tampering): GivenCredential;
  /** Like `navigator.credentials.get`, with the options of `login/begin`. */
  get(publicKey: Options, tampering?: Tampering): GivenCredential;
}

const AAGUID = 'adce0002-35bc-c60a-648b-0b25f1f05503';
const FLAGS = { user_present: 1, user_verified: 4, backup_eligible: 8, backup_state: 16, attested: 64, extended: 128 };

const base64url = (bytes: Buffer): string => bytes.toString('base64url');
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();

export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (value instanceof Map) {
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
  }
  throw new Error('this is not spoken here');
}

function head(type: number, length: number): Buffer {
  const major = type << 5;
  if (length < 24) return Buffer.of(major | length);
  if (length < 0x100) return Buffer.of(major | 24, length);
  if (length < 0x1_0000) return Buffer.of(major | 25, length >> 8, length & 0xff);
  const long = Buffer.alloc(5, major | 26);
  long.writeUInt32BE(length, 1);
  return long;
}

function makeKey(algorithm: Algorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return fastRsaKey(5);
}

function coseKey(algorithm: Algorithm, key: KeyObject): Buffer {
  const { x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (part: string) => Buffer.from(part, 'base64url');
  const fields: Record<Algorithm, [number, unknown][]> = {
    ES256: [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ],
    EdDSA: [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(x)],
    ],
    RS256: [
      [1, 3],
      [3, -257],
      [-1, bytes(n)],
      [-2, bytes(e)],
    ],
  };
  return cbor(new Map(fields[algorithm]));
}

const signatureOf = (algorithm: Algorithm, key: KeyObject, data: Buffer): Buffer =>
  sign(algorithm === 'EdDSA' ? null : 'sha256', data, key);

/** A software authenticator with real keys, CBOR and signatures. It performs none of the checks of a real one. */
export function createAuthenticator({
  origin = 'http://localhost:8080',
  algorithm = 'ES256',
  credential_id = randomBytes(20),
  counts = true,
  synced = false,
  transports = ['hybrid', 'internal'],
}: Kind = {}): Authenticator {
  const { publicKey, privateKey } = makeKey(algorithm);
  let user_handle: string | undefined;

  const clientData = (type: string, options: Options, tampering: Tampering): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: tampering.type ?? type,
        challenge: tampering.challenge ?? options.challenge,
        origin: tampering.origin ?? origin,
        crossOrigin: tampering.crossOrigin ?? false,
        ...(tampering.topOrigin && { topOrigin: tampering.topOrigin }),
      }),
    );

  const authenticatorData = (rpId: string, counter: number, tampering: Tampering, attested?: Buffer): Buffer => {
    const { user_present = true, user_verified = true } = tampering;
    const { eligible, state } = tampering.backup_flags ?? { eligible: synced, state: synced };
    const flags =
      (user_present ? FLAGS.user_present : 0) |
      (user_verified ? FLAGS.user_verified : 0) |
      (eligible ? FLAGS.backup_eligible : 0) |
      (state ? FLAGS.backup_state : 0) |
      (attested ? FLAGS.attested : 0) |
      (tampering.extensions ? FLAGS.extended : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const rest = [attested ?? Buffer.alloc(0), tampering.extensions ?? Buffer.alloc(0)];
    return Buffer.concat([sha256(tampering.rpId ?? rpId), Buffer.of(flags), count, ...rest]);
  };

  const wrap = (response: Record<string, unknown>, id = credential_id): GivenCredential => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response,
  });

  return {
    id: base64url(credential_id),
    credential_id,
    aaguid: AAGUID,
    private_key: privateKey,
    counter: 0,
    create(options, tampering = {}) {
      user_handle = options.user.id;
      const id = tampering.credential_id ?? credential_id;
      const length = Buffer.of(id.length >> 8, id.length & 0xff);
      const key = tampering.public_key ?? coseKey(algorithm, publicKey);
      const attested = Buffer.concat([Buffer.from(AAGUID.replaceAll('-', ''), 'hex'), length, id, key]);
      const counter = tampering.counter ?? this.counter;
      const authData = authenticatorData(options.rp.id, counter, tampering, attested);
      const { fmt, attStmt } = tampering.attestation ?? { fmt: 'none', attStmt: new Map() };
      const attestation = cbor(
        new Map<string, unknown>([
          ['fmt', fmt],
          ['attStmt', attStmt],
          ['authData', authData],
        ]),
      );
      return wrap({
        clientDataJSON: base64url(clientData('webauthn.create', options, tampering)),
        attestationObject: base64url(attestation),
        transports,
      });
    },
    get(options, tampering = {}) {
      this.counter = tampering.counter ?? (counts ? this.counter + 1 : 0);
      const client_data = clientData('webauthn.get', options, tampering);
      const auth_data = authenticatorData(options.rpId, this.counter, tampering);
      const key = tampering.signs_with?.private_key ?? privateKey;
      const right = signatureOf(algorithm, key, Buffer.concat([auth_data, sha256(client_data)]));
      return wrap(
        {
          clientDataJSON: base64url(client_data),
          authenticatorData: base64url(auth_data),
          signature: base64url(tampering.signature?.(right) ?? right),
          userHandle: tampering.user_handle === undefined ? (user_handle ?? null) : tampering.user_handle,
        },
        tampering.credential_id,
      );
    },
  };
}

type Target = Parameters<typeof createBrowser>[0];

const optionsIn = ({ status, text, json }: { status: number; text: string; json: { publicKey: object } }) => {
  if (status !== 200) throw new Error(`the beginning was answered ${status}: ${text}`);
  return json.publicKey;
};

export const beginAdding = async (browser: Browser) =>
  optionsIn(await browser.post('/users/me/passkeys/register/begin'));

/** Begins and completes a registration; `tampering` changes the second request. */
export const addPasskey = async (
  browser: Browser,
  device: Authenticator,
  { name, ...tampering }: Tampering & { name?: string } = {},
) =>
  browser.post('/users/me/passkeys/register/complete', {
    credential: device.create(await beginAdding(browser), tampering),
    ...(name !== undefined && { name }),
  });

export const beginSigningIn = async (target: Target, email?: string) =>
  optionsIn(await createBrowser(target).post('/auth/passkey/login/begin', email === undefined ? {} : { email }));

export interface Keyholder extends TestUser {
  readonly device: Authenticator;
  readonly passkey_id: string;
}

export async function withPasskey(target: Target, device: Authenticator = createAuthenticator()): Promise<Keyholder> {
  const account = await registerUser(target);
  const answer = await addPasskey(account.browser, device);
  if (answer.status !== 201) throw new Error(`the passkey was answered ${answer.status}: ${answer.text}`);
  return { ...account, device, passkey_id: answer.json.id };
}
