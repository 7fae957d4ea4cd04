import { TEXT_FORMATS } from '@gatehouse/contract';
import type { ApplicationRow } from '../../domain/applications/queries.ts';
import type { Deps } from '../../domain/context.ts';
import { AuthorizationFailure } from './failure.ts';

const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const;
type Prompt = (typeof PROMPTS)[number];

/**
 * A valid authorization request (docs/reference/oauth-server.md#authorization-requests). Interactions store it as JSON.
 */
export interface AuthorizationRequest {
  readonly redirect_uri: string;
  readonly state: string | null;
  /** Sorted, without duplicates. */
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly prompt: readonly Prompt[];
  /** The maximum age of the sign-in, in seconds. */
  readonly max_age: number | null;
  readonly login_hint: string | null;
  /** The user of `id_token_hint`. Absent in interactions that the previous version stored. */
  readonly hinted_user?: string | null;
  /** The first supported value of `acr_values`, which are in order of preference, is `aal2`. */
  readonly needs_aal2: boolean;
  readonly resource: string | null;
  readonly organization: string | null;
  readonly code_challenge: string;
}

const NOT_SUPPORTED = {
  request: 'request_not_supported',
  request_uri: 'request_uri_not_supported',
  registration: 'registration_not_supported',
} as const;

const ACR_VALUES: ReadonlySet<string> = new Set(['aal1', 'aal2']);
const MAX_VALUE = 2000;
const MAX_AGE_SECONDS = 2 ** 31;

/**
 * Reads the parameters of RFC 6749, section 4.1.1, and OpenID Connect Core, section 3.1.2.1. Empty parameters count as
 * left out, unknown ones are ignored. Throws an `AuthorizationFailure`, which is sent to the redirect URI.
 */
export function readRequest(
  { grantTokens }: Pick<Deps, 'grantTokens'>,
  params: URLSearchParams,
  application: ApplicationRow,
  redirect_uri: string,
): AuthorizationRequest {
  const fail = (error: AuthorizationFailure['error'], description: string): never => {
    throw new AuthorizationFailure(error, description);
  };
  const seen = new Set<string>();
  for (const name of params.keys()) {
    if (seen.has(name) && KNOWN.has(name)) fail('invalid_request', `${name} must not occur twice`);
    seen.add(name);
  }
  const read = (name: string, maxLength = MAX_VALUE): string | null => {
    const value = params.get(name);
    if (value === null || value === '') return null;
    if (value.length > maxLength || !TEXT_FORMATS.text(value)) fail('invalid_request', `${name} is not valid`);
    return value;
  };
  for (const [name, error] of Object.entries(NOT_SUPPORTED)) {
    if (read(name) !== null) fail(error as AuthorizationFailure['error'], `${name} is not supported`);
  }
  const response_type = read('response_type');
  if (response_type === null) fail('invalid_request', 'response_type is required');
  if (response_type !== 'code') fail('unsupported_response_type', 'response_type must be code');
  if ((read('response_mode') ?? 'query') !== 'query') fail('invalid_request', 'response_mode must be query');

  const code_challenge = read('code_challenge') ?? fail('invalid_request', 'code_challenge is required (PKCE)');
  if (read('code_challenge_method') !== 'S256') fail('invalid_request', 'code_challenge_method must be S256');
  if (!/^[\w-]{43}$/.test(code_challenge)) fail('invalid_request', 'code_challenge must be 43 characters of base64url');

  const scopes = [...new Set((read('scope') ?? '').split(' ').filter((scope) => scope !== ''))].sort();
  const unlisted = scopes.find((scope) => !application.scopes.includes(scope));
  if (unlisted !== undefined) fail('invalid_scope', 'one of the scopes is not allowed for this application');

  const prompt = [...new Set((read('prompt') ?? '').split(' ').filter((word) => word !== ''))] as Prompt[];
  if (prompt.some((word) => !PROMPTS.includes(word)))
    fail('invalid_request', `prompt must be one of ${PROMPTS.join(', ')}`);
  if (prompt.includes('none') && prompt.length > 1) fail('invalid_request', 'prompt=none excludes other values');

  const max_age = read('max_age');
  if (max_age !== null && !(/^\d{1,10}$/.test(max_age) && Number(max_age) <= MAX_AGE_SECONDS)) {
    fail('invalid_request', 'max_age must be a number of seconds');
  }
  const resource = read('resource');
  if (resource !== null && !application.resources.includes(resource)) {
    fail('invalid_target', 'the resource is not allowed for this application');
  }
  const organization = read('organization');
  if (organization !== null && !TEXT_FORMATS.uuid(organization)) fail('invalid_request', 'organization must be an id');
  const hint = read('id_token_hint', Infinity);
  const hinted_user =
    hint === null
      ? null
      : (grantTokens.findHintedUser(hint, application.client_id) ??
        fail('invalid_request', 'id_token_hint must be an ID token of this application'));

  return {
    redirect_uri,
    state: read('state'),
    scopes,
    nonce: read('nonce'),
    prompt,
    max_age: max_age === null ? null : Number(max_age),
    login_hint: read('login_hint'),
    hinted_user,
    needs_aal2: (read('acr_values') ?? '').split(' ').find((value) => ACR_VALUES.has(value)) === 'aal2',
    resource,
    organization: organization?.toLowerCase() ?? null,
    code_challenge,
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  ...[
    'client_id',
    'redirect_uri',
    'response_type',
    'response_mode',
    'code_challenge',
    'code_challenge_method',
    'scope',
  ],
  ...['state', 'nonce', 'prompt', 'max_age', 'login_hint', 'id_token_hint', 'acr_values', 'resource', 'organization'],
  ...Object.keys(NOT_SUPPORTED),
]);

/** The state to send back with an error: only if it is unambiguous and could be stored. */
export function stateOf(params: URLSearchParams): string | null {
  const [state, ...others] = params.getAll('state');
  return state && others.length === 0 && state.length <= MAX_VALUE && TEXT_FORMATS.text(state) ? state : null;
}

/** Whether the URI equals a registered one; for native applications, on any loopback port (RFC 8252). */
export function isRegistered({ kind, redirect_uris }: ApplicationRow, uri: string): boolean {
  if (redirect_uris.includes(uri)) return true;
  if (kind !== 'native') return false;
  const given = withoutPort(uri);
  return given !== undefined && redirect_uris.some((registered) => withoutPort(registered) === given);
}

const withoutPort = (uri: string): string | undefined => {
  const parts = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?(?=[/?]|$)(.*)$/i.exec(uri);
  if (!parts || Number(parts[2] ?? 0) > 65_535 || /[\s#\\]/.test(uri)) return undefined;
  return `${parts[1]!.toLowerCase()}${parts[3]}`;
};
