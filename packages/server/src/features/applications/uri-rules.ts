import type { ApplicationKind } from '@gatehouse/contract';
import { ServiceError } from '../../domain/kernel/service-error.ts';

const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?([/?]|$)/i;
const HTTPS = /^https:\/\/[^/?]/i;
/** A reverse domain name, as RFC 8252 asks for: without the dot, two applications might claim the same scheme. */
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:/i;

const invalid = (field: string, reason: string) => new ServiceError('invalid_input', `${field}: ${reason}`);

/** Throws unless the text is a URI, which is ASCII (RFC 3986), without fragment, user name and password. */
function requirePlainUri(field: string, uri: string): URL {
  if (/[^\x20-\x7e]/.test(uri)) throw invalid(field, 'must contain only ASCII characters; encode others');
  if (/[\s\\]/.test(uri) || !URL.canParse(uri)) throw invalid(field, 'must be absolute URIs');
  const url = new URL(uri);
  if (uri.includes('#')) throw invalid(field, 'must not have a fragment');
  if (url.username !== '' || url.password !== '') throw invalid(field, 'must not contain a user name or password');
  return url;
}

/**
 * docs/reference/oauth-server.md#applications. Browsers are sent there, so only addresses that belong to the
 * application are allowed.
 */
export function requireRedirectUri(field: string, kind: ApplicationKind, uri: string): void {
  requirePlainUri(field, uri);
  if (uri.includes('*')) throw invalid(field, 'must not contain a wildcard');
  if (HTTPS.test(uri) || LOOPBACK.test(uri)) return;
  if (kind === 'native' && PRIVATE_USE.test(uri)) return;
  throw invalid(
    field,
    kind === 'native'
      ? 'must be https, http on localhost, or a private-use scheme with a dot'
      : 'must be https, or http on localhost',
  );
}

/** docs/reference/oauth-server.md#applications: https, in development also http. */
export function requireDeliveryUri(field: string, uri: string, isProduction: boolean): void {
  const { protocol } = requirePlainUri(field, uri);
  if (protocol === 'https:' || (protocol === 'http:' && !isProduction)) return;
  throw invalid(field, 'must be https');
}

/** RFC 8707, section 2: a resource is an absolute URI without a fragment. */
export const requireResource = (field: string, uri: string): void => void requirePlainUri(field, uri);
