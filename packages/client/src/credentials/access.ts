import { GatehouseError } from '../gatehouse-error.ts';
import type { SignedInAs } from './store.ts';

/** An access token and when it is too old to be shown. */
export interface Access {
  readonly token: string;
  readonly ends: number;
}

/** What can stand in a header. Anything else would come back in the words of an error. */
export const isToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);

/** A request takes its time, and clocks differ a little. */
const MARGIN = 10_000;

export const accessFor = (token: string, seconds: number): Access => {
  const lifetime = seconds * 1000;
  return { token, ends: Date.now() + lifetime - Math.min(MARGIN, lifetime / 2) };
};

export const tokenOf = (access: Access | undefined): string | undefined =>
  access && access.ends > Date.now() ? access.token : undefined;

/** Answers that open, renew or strengthen a session bring an access token. */
export function accessIn(body: unknown): Access | undefined {
  const { access_token, expires_in } = (body ?? {}) as { access_token?: unknown; expires_in?: unknown };
  return typeof access_token === 'string' && typeof expires_in === 'number'
    ? accessFor(access_token, expires_in)
    : undefined;
}

/** The header that shows it. */
export function bearer(
  token: string | undefined,
  isWrite: boolean,
  user: SignedInAs | undefined,
): Record<string, string> {
  if (token === undefined) return {};
  if (isWrite) requirePerson(token, user);
  return { authorization: `Bearer ${token}` };
}

/** A browser may have got another session since the page was drawn: what is done there must not become a deed of theirs. */
export function requirePerson(token: string, user: SignedInAs | undefined): void {
  if (!user) return;
  const { sub, org } = claimsOf(token);
  if (sub === user.user_id && (user.organization_id ?? org) === org) return;
  throw new GatehouseError({ code: 'csrf_failed', status: 0, message: 'somebody else is signed in by now' });
}

/** What an access token says. It is not verified: the service does that. */
function claimsOf(token: string): { sub?: unknown; org?: unknown } {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(atob(payload)) as object;
  } catch {
    return {};
  }
}
