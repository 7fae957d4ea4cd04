import { ServiceError } from '../../domain/kernel/service-error.ts';
import { issuerOf } from '../../domain/oauth-server/grants/tokens.ts';
import type { Config } from '../../platform/config/settings.ts';

/** Codes of RFC 6749, section 4.1.2.1, OpenID Connect Core, section 3.1.2.6, and RFC 8707. */
type AuthorizationError =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported';

/** A failed authorization request that is reported to the application, by a redirect. */
export class AuthorizationFailure extends Error {
  readonly error: AuthorizationError;
  constructor(error: AuthorizationError, description: string) {
    super(description);
    this.error = error;
  }
}

/** An unknown client or redirect URI: shown to the user, because a redirect could lead anywhere. */
export const untrusted = (message: string) => new ServiceError('invalid_input', message);

interface Target {
  readonly redirect_uri: string;
  readonly state: string | null;
}

/** Appends the response to the redirect URI as text: parsing could change what is registered. */
export function responseUrl(config: Config, { redirect_uri, state }: Target, fields: Record<string, string>): string {
  const params = new URLSearchParams({ ...fields, ...(state !== null && { state }), iss: issuerOf(config) });
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${params}`;
}

export const failureUrl = (config: Config, target: Target, { error, message }: AuthorizationFailure): string =>
  responseUrl(config, target, { error, error_description: message });
