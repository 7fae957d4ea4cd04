import { GatehouseError } from '../gatehouse-error.ts';

/** An access token and when it is too old to be shown. */
export interface Access {
  readonly token: string;
  readonly ends: number;
}

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

/** The header that shows it, to the person's own page alone: a browser may have got another session since. */
export function bearer(
  token: string | undefined,
  isWrite: boolean,
  person: string | undefined,
): Record<string, string> {
  if (token === undefined) return {};
  if (isWrite && person !== undefined && subjectOf(token) !== person) {
    throw new GatehouseError({ code: 'csrf_failed', status: 0, message: 'somebody else is signed in by now' });
  }
  return { authorization: `Bearer ${token}` };
}

/** Who an access token is about. It is not verified: the service does that. */
function subjectOf(token: string): string | undefined {
  try {
    const payload = token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/');
    return (JSON.parse(atob(payload)) as { sub?: string }).sub;
  } catch {
    return undefined;
  }
}
