import type { Client } from './client.ts';
import type { PasskeyCredential } from './passkey-credential.ts';
import type { LoginResponse, Passkey } from './wire.ts';

/** Options of a passkey request. */
export interface PasskeyAsk {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Offers passkeys in the autofill of a field with `autocomplete="username webauthn"` instead of in a dialog. Stays
   * pending until the user chooses one.
   */
  readonly autofill?: boolean | undefined;
}

/** The part of the browser's API that is used here. */
interface BrowserApi {
  readonly PublicKeyCredential?: { isConditionalMediationAvailable?(): Promise<boolean> };
  readonly navigator?: {
    readonly credentials?: {
      create(options: object): Promise<BrowserCredential | null>;
      get(options: object): Promise<BrowserCredential | null>;
    };
  };
}

interface BrowserCredential {
  readonly id: string;
  readonly rawId: ArrayBuffer;
  readonly type: string;
  readonly authenticatorAttachment?: string | null;
  readonly response: {
    readonly clientDataJSON: ArrayBuffer;
    readonly attestationObject?: ArrayBuffer;
    readonly authenticatorData?: ArrayBuffer;
    readonly signature?: ArrayBuffer;
    readonly userHandle?: ArrayBuffer | null;
    getTransports?(): string[];
  };
  getClientExtensionResults(): object;
}

const browser = globalThis as unknown as BrowserApi;

/**
 * Returns whether this browser supports passkeys on this page.
 *
 * @example
 * ```ts
 * import { supportsPasskeys } from '@gatehouse/client';
 *
 * const label = supportsPasskeys() ? 'Sign in with a passkey' : 'Sign in';
 * ```
 */
export const supportsPasskeys = (): boolean =>
  browser.PublicKeyCredential !== undefined && browser.navigator?.credentials !== undefined;

/**
 * Returns whether the browser can offer passkeys in the autofill of the email field.
 *
 * @example
 * ```ts
 * import { supportsPasskeyAutofill } from '@gatehouse/client';
 *
 * const offered = await supportsPasskeyAutofill();
 * ```
 */
export const supportsPasskeyAutofill = async (): Promise<boolean> =>
  supportsPasskeys() && ((await browser.PublicKeyCredential?.isConditionalMediationAvailable?.()) ?? false);

/**
 * Asks for a passkey and signs in with it. A passkey counts as both factors.
 *
 * @example
 * ```ts
 * import { createClient, signInWithPasskey } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const onClick = async () => {
 *   const answer = await signInWithPasskey(client);
 *   return answer.status;
 * };
 * ```
 */
export async function signInWithPasskey(
  client: Client,
  {
    email,
    organization_id,
    ...ask
  }: PasskeyAsk & { readonly email?: string | undefined; readonly organization_id?: string | undefined } = {},
): Promise<LoginResponse> {
  const { signIn } = client.with({ signal: ask.signal });
  const { publicKey } = await signIn.beginPasskey(email);
  return signIn.withPasskey(
    await askForPasskey(publicKey, ask),
    organization_id === undefined ? {} : { organization_id },
  );
}

/**
 * Creates a passkey on this device for the signed-in user. Fails with `mfa_required` if the last sign-in is not recent.
 *
 * @example
 * ```ts
 * import { addPasskey, createClient } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const onClick = () => addPasskey(client, { name: 'My laptop' });
 * ```
 */
export async function addPasskey(
  client: Client,
  { name, signal }: { readonly name?: string | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Passkey> {
  const { passkeys } = client.with({ signal });
  const { publicKey } = await passkeys.begin();
  return passkeys.complete(await createPasskey(publicKey, { signal }), name);
}

/**
 * Asks the browser for a passkey, with the options from `signIn.beginPasskey`. Pass the result to `signIn.withPasskey`.
 *
 * @example
 * ```ts
 * import { askForPasskey, createClient } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const offer = async (signal: AbortSignal) => {
 *   const { publicKey } = await client.with({ signal }).signIn.beginPasskey();
 *   return client.signIn.withPasskey(await askForPasskey(publicKey, { autofill: true, signal }));
 * };
 * ```
 */
export async function askForPasskey(
  publicKey: Readonly<Record<string, unknown>>,
  { signal, autofill = false }: PasskeyAsk = {},
): Promise<PasskeyCredential> {
  const options = {
    ...publicKey,
    challenge: toBytes(publicKey.challenge),
    ...(publicKey.allowCredentials !== undefined && { allowCredentials: withBytes(publicKey.allowCredentials) }),
  };
  const given = await browser.navigator?.credentials?.get({
    publicKey: options,
    ...(signal && { signal }),
    ...(autofill && { mediation: 'conditional' }),
  });
  return toJson(given);
}

/**
 * Creates a passkey in the browser, with the options from `passkeys.begin`. Pass the result to `passkeys.complete`.
 *
 * @example
 * ```ts
 * import { createClient, createPasskey } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const add = async () => {
 *   const { publicKey } = await client.passkeys.begin();
 *   return client.passkeys.complete(await createPasskey(publicKey), 'My phone');
 * };
 * ```
 */
export async function createPasskey(
  publicKey: Readonly<Record<string, unknown>>,
  { signal }: Pick<PasskeyAsk, 'signal'> = {},
): Promise<PasskeyCredential> {
  const user = publicKey.user as { id: string };
  const options = {
    ...publicKey,
    challenge: toBytes(publicKey.challenge),
    user: { ...user, id: toBytes(user.id) },
    ...(publicKey.excludeCredentials !== undefined && { excludeCredentials: withBytes(publicKey.excludeCredentials) }),
  };
  return toJson(await browser.navigator?.credentials?.create({ publicKey: options, ...(signal && { signal }) }));
}

const withBytes = (credentials: unknown): object[] =>
  (credentials as { id: string }[]).map((credential) => ({ ...credential, id: toBytes(credential.id) }));

/** Replaces `PublicKeyCredential.toJSON`, which some browsers with passkeys do not have. */
function toJson(given: BrowserCredential | null | undefined): PasskeyCredential {
  if (given === undefined) throw new DOMException('this browser, or this page, has no passkeys', 'NotSupportedError');
  if (given === null) throw new DOMException('no passkey was chosen', 'NotAllowedError');
  const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } = given.response;
  const fields = { clientDataJSON, attestationObject, authenticatorData, signature, userHandle };
  const present = Object.entries(fields).filter(
    (field): field is [string, ArrayBuffer] => field[1] instanceof ArrayBuffer,
  );
  return {
    id: given.id,
    rawId: toText(given.rawId),
    type: given.type,
    ...(given.authenticatorAttachment && { authenticatorAttachment: given.authenticatorAttachment }),
    clientExtensionResults: given.getClientExtensionResults(),
    response: {
      ...Object.fromEntries(present.map(([name, bytes]) => [name, toText(bytes)])),
      ...(given.response.getTransports && { transports: given.response.getTransports() }),
    },
  };
}

const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const toBytes = (text: unknown): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(String(text).replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
