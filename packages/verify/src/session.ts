import { membersOf } from './document.ts';
import { quoted } from './quoted.ts';
import { VerifyError } from './verify-error.ts';

/** Assurance level: `aal1` for one factor, `aal2` for a passkey or a second factor. */
export type Aal = 'aal1' | 'aal2';

/**
 * The content of an access token. Each verification returns a new object, so it may be changed or kept.
 *
 * @example
 * ```ts
 * import { createVerifier } from '@gatehouse/verify';
 *
 * const verifier = createVerifier({ issuer: 'https://id.example.com' });
 * const { user_id, organization_id, aal } = await verifier.verify(token);
 * console.log(`${user_id} of ${organization_id}, ${aal}`);
 * ```
 */
export interface Session {
  /** The id of the user; of a machine, that of the service account. */
  readonly user_id: string;
  /** The organization of the session. */
  readonly organization_id: string;
  /** The same for all tokens of a session, across refreshes. */
  readonly session_id: string;
  /** Unique for each token. */
  readonly token_id: string;
  /**
   * Present when the service knows it. Identify users by `user_id`, never by this: it may be unverified, so anyone may
   * have registered it, and it may change.
   */
  readonly email: string | undefined;
  /**
   * Whether the owner of the mailbox had confirmed `email` when the token was issued; false if the token does not say.
   */
  readonly email_verified: boolean;
  readonly aal: Aal;
  /**
   * `password`, `passkey`, `social_oauth`, `password_with_mfa`, `email_otp`; `api_key` for a machine, `application` if
   * the token is that of an application. Later versions may add values.
   */
  readonly auth_method: string;
  /** When the user signed in. Refreshing does not change it. Of a machine: when the key was exchanged. */
  readonly auth_time: Date;
  readonly issued_at: Date;
  readonly expires_at: Date;
  /**
   * `owner`, `admin`, `member`, `machine`; later versions may add values. The role in the organization when the token
   * was issued; undefined if the service is older than product roles. After a change the token is rejected as
   * `token_stale`.
   */
  readonly role: string | undefined;
  /**
   * The permissions of the product that the user's roles included when the token was issued, sorted; the list cannot be
   * changed. Undefined if the token does not contain them: there are too many, or the service is older. Require them
   * with the need `permission`, which asks the service in these cases.
   */
  readonly permissions: readonly string[] | undefined;
  /** The application that acts for the user, with the option `audience`; otherwise undefined. */
  readonly client_id: string | undefined;
  /**
   * What the token of a machine, or of an application, is limited to; the list cannot be changed. Undefined for users,
   * and if the list would make the token too long.
   */
  readonly scopes: readonly string[] | undefined;
}

/** §2.2, docs/reference/sessions.md#access-tokens, docs/reference/machines.md#tokens: the claims of an access token. */
export interface Claims {
  readonly sub: string;
  readonly org: string;
  readonly sid: string;
  readonly jti: string;
  readonly email: string | undefined;
  readonly email_verified: boolean | undefined;
  readonly aal: Aal;
  readonly auth_method: string;
  readonly auth_time: number;
  readonly iat: number;
  readonly exp: number;
  readonly role: string | undefined;
  /** Undefined if the token does not contain the list. */
  readonly perms: readonly string[] | undefined;
  readonly perms_at: number | undefined;
  /** Only in tokens of applications. */
  readonly client_id?: string;
  /** The entries of `scope`. Undefined if the token is not of a machine or an application. */
  readonly scopes: readonly string[] | undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The last second that a `Date` can represent. */
const LAST_SECOND = 8_640_000_000_000;

export const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);
const isSecond = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_SECOND;

/** The message contains the value of the claim and, if only one value is valid, the expected one. */
const invalid = (claim: string, found: unknown, expected?: string) =>
  new VerifyError(
    'token_invalid',
    `the token's ${claim} is ${quoted(found)}${expected === undefined ? ', which is not valid' : `, not ${expected}`}`,
  );

function read<T>(claims: Readonly<Record<string, unknown>>, name: string, is: (value: unknown) => value is T): T {
  const value = claims[name];
  if (!is(value)) throw invalid(name, value);
  return value;
}

const isAal = (value: unknown): value is Aal => value === 'aal1' || value === 'aal2';
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isEmail = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';

/** Tokens of services before 0.2 have neither `email_verified` nor the claims about roles. */
const isFlag = (value: unknown): value is boolean | undefined => value === undefined || typeof value === 'boolean';
const isTrue = (value: unknown): value is true | undefined => value === undefined || value === true;
const isRole = (value: unknown): value is string | undefined => value === undefined || isText(value);
const isPermissions = (value: unknown): value is string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(isText));
const isScope = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string';
const isMillisecond = (value: unknown): value is number | undefined =>
  value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0);

function readScopes(claims: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const scope = read(claims, 'scope', isScope);
  return scope === undefined ? undefined : Object.freeze(scope.split(' ').filter((name) => name !== ''));
}

/** All sessions of a token share the list: a change by one caller must not grant permissions to others. */
function readPermissions(claims: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const perms = read(claims, 'perms', isPermissions);
  const isOmitted = read(claims, 'perms_omitted', isTrue);
  return isOmitted || perms === undefined ? undefined : Object.freeze(perms);
}

/** Returns the claims of an access token of this issuer. Throws for anything else, even if its signature is valid. */
export function readClaims(payload: unknown, issuer: string): Claims {
  const claims = membersOf(payload);
  if (claims.typ !== 'access') throw invalid('typ', claims.typ, '"access"');
  if (claims.iss !== issuer) {
    throw invalid('iss', claims.iss, `${quoted(issuer)}: compare the option issuer with PUBLIC_BASE_URL`);
  }
  // The service issues neither claim: a token with `aud` is for another audience, one with `nbf` for a later time.
  if (claims.aud !== undefined) throw invalid('aud', claims.aud, 'missing');
  if (claims.nbf !== undefined) throw invalid('nbf', claims.nbf, 'missing');
  const id = (name: string) => read(claims, name, isUuid).toLowerCase();
  return {
    sub: id('sub'),
    org: id('org'),
    sid: id('sid'),
    jti: id('jti'),
    email: read(claims, 'email', isEmail),
    email_verified: read(claims, 'email_verified', isFlag),
    aal: read(claims, 'aal', isAal),
    auth_method: read(claims, 'auth_method', isText),
    auth_time: read(claims, 'auth_time', isSecond),
    iat: read(claims, 'iat', isSecond),
    exp: read(claims, 'exp', isSecond),
    role: read(claims, 'role', isRole),
    perms: readPermissions(claims),
    perms_at: read(claims, 'perms_at', isMillisecond),
    scopes: readScopes(claims),
  };
}

/** Scopes of OpenID Connect. All others are permissions of the product. */
const STANDARD_SCOPES = new Set(['openid', 'profile', 'email', 'offline_access', 'organization']);

/** Returns the claims of an access token of an application for this audience. Throws for anything else. */
export function readGrantClaims(payload: unknown, { issuer, audience }: { issuer: string; audience: string }): Claims {
  const claims = membersOf(payload);
  if (claims.iss !== issuer) throw invalid('iss', claims.iss, quoted(issuer));
  if (claims.aud !== audience) throw invalid('aud', claims.aud, quoted(audience));
  if (claims.typ !== undefined) throw invalid('typ', claims.typ, 'missing');
  if (claims.nbf !== undefined) throw invalid('nbf', claims.nbf, 'missing');
  const id = (name: string) => read(claims, name, isUuid).toLowerCase();
  const isScope = (value: unknown): value is string => typeof value === 'string';
  const scopes = Object.freeze(
    read(claims, 'scope', isScope)
      .split(' ')
      .filter((scope) => scope !== ''),
  );
  return {
    sub: id('sub'),
    org: id('org'),
    sid: id('sid'),
    jti: id('jti'),
    email: undefined,
    email_verified: undefined,
    aal: read(claims, 'acr', isAal),
    auth_method: 'application',
    auth_time: read(claims, 'auth_time', isSecond),
    iat: read(claims, 'iat', isSecond),
    exp: read(claims, 'exp', isSecond),
    role: undefined,
    perms: Object.freeze(scopes.filter((scope) => !STANDARD_SCOPES.has(scope))),
    perms_at: undefined,
    client_id: read(claims, 'client_id', isText),
    scopes,
  };
}

const dateOf = (second: number): Date => new Date(second * 1000);

export const sessionOfClaims = (claims: Claims): Session => ({
  user_id: claims.sub,
  organization_id: claims.org,
  session_id: claims.sid,
  token_id: claims.jti,
  email: claims.email,
  email_verified: claims.email !== undefined && claims.email_verified === true,
  aal: claims.aal,
  auth_method: claims.auth_method,
  auth_time: dateOf(claims.auth_time),
  issued_at: dateOf(claims.iat),
  expires_at: dateOf(claims.exp),
  role: claims.role,
  permissions: claims.perms,
  client_id: claims.client_id,
  scopes: claims.scopes,
});
