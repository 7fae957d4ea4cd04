import { GatehouseError } from '../gatehouse-error.ts';
import type { SignedInAs } from './store.ts';

/** An access token, and the time after which it is no longer sent. */
export interface Access {
  readonly token: string;
  readonly ends: number;
}

/**
 * Returns whether a header can contain the value. For any other value, `fetch` fails with an error that quotes it,
 * although it is a secret.
 */
export const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);

/** Subtracted from the lifetime: a request takes time, and clocks differ a little. */
const EXPIRY_MARGIN_MS = 10_000;

export const accessFor = (token: string, seconds: number): Access => {
  const lifetime = seconds * 1000;
  return { token, ends: Date.now() + lifetime - Math.min(EXPIRY_MARGIN_MS, lifetime / 2) };
};

export const tokenOf = (access: Access | undefined): string | undefined =>
  access && access.ends > Date.now() ? access.token : undefined;

/** Returns the access token in a response that opens, renews or steps up a session. */
export function accessIn(body: unknown): Access | undefined {
  const { access_token, expires_in } = (body ?? {}) as { access_token?: unknown; expires_in?: unknown };
  return typeof access_token === 'string' && typeof expires_in === 'number'
    ? accessFor(access_token, expires_in)
    : undefined;
}

export function bearer(
  token: string | undefined,
  isWrite: boolean,
  user: SignedInAs | undefined,
): Record<string, string> {
  if (token === undefined) return {};
  if (isWrite) requireSameUser(token, user);
  return { authorization: `Bearer ${token}` };
}

/**
 * Throws `csrf_failed` if the token does not belong to the user and organization that the page shows: another window
 * may have changed the session, and a write must not be made on behalf of the new user.
 */
export function requireSameUser(token: string, user: SignedInAs | undefined): void {
  if (!user) return;
  const { sub, org } = claimsOf(token);
  if (sub === user.user_id && (user.organization_id ?? org) === org) return;
  throw new GatehouseError({ code: 'csrf_failed', status: 0, message: 'another user has signed in meanwhile' });
}

/** Returns the claims without verifying the token; the service does that. */
function claimsOf(token: string): { sub?: unknown; org?: unknown } {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(atob(payload)) as object;
  } catch {
    return {};
  }
}
