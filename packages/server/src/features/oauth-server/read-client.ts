import { invalidClient, TokenFailure } from '../../domain/kernel/token-failure.ts';
import type { ClientCredentials } from './token-grant.ts';

type Form = ReadonlyMap<string, string>;

/**
 * RFC 6749, section 2.3.1: the client id and secret of the `Authorization: Basic` header or of the form, never of both.
 * Returns undefined if the request names no client. Other schemes of the header are ignored.
 */
export function readClient(header: string | undefined, form: Form): ClientCredentials | undefined {
  const basic = header !== undefined && /^basic\b/i.test(header) ? readBasic(header) : undefined;
  const [client_id, client_secret] = [form.get('client_id'), form.get('client_secret')];
  if (!basic) return client_id === undefined ? undefined : { client_id, client_secret };
  if (client_secret !== undefined) {
    throw new TokenFailure('invalid_request', 'client_secret: must not be sent twice, in the header and in the form');
  }
  if (client_id !== undefined && client_id !== basic.client_id) {
    throw new TokenFailure('invalid_request', 'client_id: must be the one in the Authorization header');
  }
  return basic;
}

const BASIC = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

function readBasic(header: string): ClientCredentials {
  const encoded = BASIC.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 1) throw invalidClient();
  return { client_id: decoded(text.slice(0, colon)), client_secret: decoded(text.slice(colon + 1)) || undefined };
}

/** RFC 6749, section 2.3.1: client id and secret are form-encoded before they are joined. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    throw invalidClient();
  }
}
