import type { AuthenticatorTransport, PublicKeyCredentialDescriptorJSON } from '@simplewebauthn/server';
import { parse } from 'uuid';

type Address = { readonly PUBLIC_BASE_URL: string };

/** What a passkey is bound to: the host people know the service by, whatever the port. */
export const rpIdOf = ({ PUBLIC_BASE_URL }: Address): string => new URL(PUBLIC_BASE_URL).hostname;

/** The one address that a ceremony may have taken place at. */
export const originOf = ({ PUBLIC_BASE_URL }: Address): string => new URL(PUBLIC_BASE_URL).origin;

/** COSE numbers of EdDSA, ES256 and RS256: the same on every replica, whatever its runtime could do beside. */
export const ALGORITHMS: readonly number[] = [-8, -7, -257];

/** What an authenticator calls the person: the sixteen bytes of their id. */
export const userHandleOf = (user_id: string): Buffer => Buffer.from(parse(user_id));

interface KnownCredential {
  readonly credential_id: Buffer;
  readonly transports: readonly string[];
}

/** One that the browser may use, or may not make once more. */
export const descriptorOf = ({ credential_id, transports }: KnownCredential): PublicKeyCredentialDescriptorJSON => ({
  id: credential_id.toString('base64url'),
  type: 'public-key',
  transports: transports as AuthenticatorTransport[],
});
