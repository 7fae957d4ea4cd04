import type { AuthenticatorTransport, PublicKeyCredentialDescriptorJSON } from '@simplewebauthn/server';
import { parse } from 'uuid';
import type { Config } from '../../platform/config/settings.ts';

/** The only origins where a ceremony may take place. */
export const originsOf = ({
  PUBLIC_BASE_URL,
  PASSKEY_ORIGINS,
}: Pick<Config, 'PUBLIC_BASE_URL' | 'PASSKEY_ORIGINS'>): string[] => [
  new URL(PUBLIC_BASE_URL).origin,
  ...PASSKEY_ORIGINS,
];

/** EdDSA, ES256 and RS256 (COSE). Fixed, so that all replicas offer the same, whatever their runtime supports. */
export const ALGORITHMS: readonly number[] = [-8, -7, -257];

export const userHandleOf = (user_id: string): Buffer => Buffer.from(parse(user_id));

interface KnownCredential {
  readonly credential_id: Buffer;
  readonly transports: readonly string[];
}

/** A credential that the browser may use (sign-in) or must not create again (registration). */
export const descriptorOf = ({ credential_id, transports }: KnownCredential): PublicKeyCredentialDescriptorJSON => ({
  id: credential_id.toString('base64url'),
  type: 'public-key',
  transports: transports as AuthenticatorTransport[],
});
