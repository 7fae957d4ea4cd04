import type { OAuthProvider, ProbeResult, ProviderInfo } from '@gatehouse/contract';
import type { ExternalIdentity } from './external-identity.ts';
import type { ProviderSettings } from './resolve.ts';

interface Addresses {
  /** In Microsoft's issuer, `{tenantid}` stands for the tenant of each token. */
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
}

/** All endpoints of a provider; '' for an endpoint that it does not have. */
export interface Endpoints extends Addresses {
  readonly userinfo: string;
  readonly jwks: string;
}

export type Profile = Pick<ExternalIdentity, 'subject' | 'email' | 'email_verified' | 'name'>;

export interface FieldRule {
  readonly isValid: (value: string) => boolean;
  /** The end of an error message that begins with "public_config.<field>: ". */
  readonly message: string;
  readonly normalize?: (value: string) => string;
}

export interface Minting {
  readonly issuer: string;
  readonly now: Date;
}

/** The `detail` of a successful local test; the caller appends the callback URL to register. */
export const CREDENTIALS_STORED =
  'a client ID and a secret are stored; the provider itself is contacted at the first sign-in';

interface Common extends Pick<ProviderInfo, 'name' | 'required' | 'optional' | 'secret'> {
  readonly id: OAuthProvider;
  /** Parameters of the authorization request, in addition to those that every provider receives. */
  readonly authorization: { readonly scope: string; readonly response_mode?: 'query' | 'form_post' };
  /** Default values of optional fields that are placeholders in `endpoints`. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Validation of fields that are not plain ids. */
  readonly rules?: Readonly<Record<string, FieldRule>>;
  /** §4.9: the provider cannot be enabled without `client_id`. If false, such a configuration is stored as degraded. */
  readonly requiresClientId?: boolean;
  /** The provider accepts only https callback URLs with a public host name, in development too. */
  readonly requiresPublicHttps?: boolean;
  /** The client secret for one token exchange, if it is not the stored secret. */
  readonly clientSecret?: (settings: ProviderSettings, minting: Minting) => string;
  /** Reads a display name from the callback parameter `user`. */
  readonly nameInCallback?: (user: unknown) => string | null;
  /** §4.9: the local test of stored settings. Default: `CREDENTIALS_STORED`. */
  readonly probe?: (settings: ProviderSettings, minting: Minting) => ProbeResult;
}

/** OpenID Connect: the user is identified by a signed id_token. */
interface OpenIdProvider extends Common {
  readonly endpoints: Addresses & { readonly jwks: string };
  /** The issuer to expect in the id_token of this token response, if it is not the configured issuer. */
  readonly issuerOf?: (configured: string, settings: ProviderSettings, response: Response) => Promise<string>;
  /** Whether the provider has verified the email address. Default: the claim `email_verified`. */
  readonly isEmailVerified?: (claims: Readonly<Record<string, unknown>>) => boolean;
  readonly fetchProfile?: never;
}

/** OAuth 2.0 without an id_token: the profile is fetched with the access token. */
interface ProfileProvider extends Common {
  readonly endpoints: Addresses & { readonly userinfo: string };
  readonly fetchProfile: (userinfo: string, access_token: string, settings: ProviderSettings) => Promise<Profile>;
}

/**
 * One OAuth provider. An OpenID Connect provider that follows the standard needs endpoints and a scope; the optional
 * members are for deviations. Endpoints are fixed here or set by the operator, never read from a response; `{field}` in
 * an endpoint stands for a field listed in `defaults`.
 */
export type OAuthProviderDefinition = OpenIdProvider | ProfileProvider;

export const isOpenId = (definition: OAuthProviderDefinition): definition is OpenIdProvider =>
  definition.fetchProfile === undefined;
