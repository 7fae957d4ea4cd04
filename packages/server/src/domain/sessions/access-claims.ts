import type { AccessTokenClaims } from '@gatehouse/contract';

type ClaimCheck = (value: unknown) => boolean;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const isId: ClaimCheck = (value) => typeof value === 'string' && UUID.test(value);
const isText: ClaimCheck = (value) => typeof value === 'string' && value !== '';
/** Seconds or milliseconds since 1970. */
const isTime: ClaimCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const ROLES: ReadonlySet<unknown> = new Set(['owner', 'admin', 'member', 'machine']);
const isAbsent: ClaimCheck = (value) => value === undefined;

/** §2.2: the claims that this service writes. It never writes `nbf`; see `readAccessClaims` for `aud`. */
const CLAIMS: Readonly<Record<keyof AccessTokenClaims | 'nbf', ClaimCheck>> = {
  sub: isId,
  org: isId,
  sid: isId,
  jti: isId,
  iss: isText,
  typ: (value) => value === 'access',
  aal: (value) => value === 'aal1' || value === 'aal2',
  auth_method: isText,
  auth_time: isTime,
  iat: isTime,
  exp: isTime,
  email: (value) => value === undefined || isText(value),
  // Version 0.1 issued tokens without `email_verified`; they stay valid until they expire.
  email_verified: (value) => value === undefined || typeof value === 'boolean',
  // Version 0.2 issued tokens without the following four claims.
  role: (value) => value === undefined || ROLES.has(value),
  perms: (value) => value === undefined || (Array.isArray(value) && value.every(isText)),
  perms_omitted: (value) => value === undefined || value === true,
  perms_at: (value) => value === undefined || isTime(value),
  scope: (value) => value === undefined || typeof value === 'string',
  nbf: isAbsent,
};

const CHECKS = Object.entries(CLAIMS);

/** Undefined if this service would not have written these claims. Only tokens of restricted sessions have an `aud`. */
export function readAccessClaims(payload: string, aud: string | undefined): AccessTokenClaims | undefined {
  const claims = parse(payload);
  if (typeof claims !== 'object' || claims === null) return undefined;
  const given = claims as Readonly<Record<string, unknown>>;
  return given.aud === aud && CHECKS.every(([name, is]) => is(given[name])) ? (claims as AccessTokenClaims) : undefined;
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    return undefined;
  }
}
