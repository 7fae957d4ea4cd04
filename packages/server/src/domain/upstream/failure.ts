import { NIL_UUID, OAUTH_FAILURES, type OAuthFailure, type OAuthProvider } from '@gatehouse/contract';
import { OutboundError } from '../../platform/outbound.ts';
import type { AuditInsert } from '../audit/queries.ts';
import { auditRow } from '../audit/record.ts';
import type { Deps } from '../context.ts';
import type { Caller } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/service-error.ts';
import { ProviderFailure } from '../provider-settings/external-identity.ts';

interface About {
  readonly user_id?: string | undefined;
  readonly organization_id?: string | null | undefined;
}

interface Details {
  readonly retryAfter?: number;
  readonly cause?: string;
  readonly refusal?: ServiceError;
  readonly audited?: boolean;
}

/**
 * docs/reference/sign-in.md#third-party-sign-in: a third-party sign-in or link that failed, with the code that pages
 * and clients get.
 */
export class Failed extends Error {
  readonly failure: OAuthFailure;
  readonly about: About;
  readonly retryAfter: number | undefined;
  /** For the log: a cause that an operator can fix. */
  readonly reason: string | undefined;
  /** Set if the policy of the organization rejects the sign-in. */
  readonly refusal: ServiceError | undefined;
  /** Whether the failure is in the audit trail already. */
  readonly audited: boolean;
  constructor(failure: OAuthFailure, about: About = {}, { retryAfter, cause, refusal, audited = false }: Details = {}) {
    super(failure);
    this.failure = failure;
    this.about = about;
    this.retryAfter = retryAfter;
    this.reason = cause;
    this.refusal = refusal;
    this.audited = audited;
  }
}

const MESSAGES: Readonly<Record<OAuthFailure, string>> = {
  account_exists: 'an account with this email already exists; sign in another way, then link this identity',
  identity_in_use: 'this identity is linked to another account',
  email_missing: 'the provider sent no usable email address; allow access to it and try again',
  registration_closed: 'registration is closed; ask for an invitation',
  access_denied: 'the sign-in was cancelled at the provider; start again and allow it',
  invalid_state: 'this sign-in was not started in this browser, was already used, or has expired; start again',
  provider_error: 'the provider did not respond as expected; try again later',
  account_refused: 'this account cannot be signed in to',
  rate_limited: 'too many attempts; try again later',
};

export const asServiceError = ({ failure, retryAfter, refusal }: Failed): ServiceError =>
  refusal
    ? new ServiceError('forbidden', `${failure}: ${refusal.message}`)
    : new ServiceError(OAUTH_FAILURES[failure], `${failure}: ${MESSAGES[failure]}`, {
        ...(retryAfter !== undefined && { retryAfter }),
      });

interface Attempt {
  readonly provider: OAuthProvider;
  readonly linking: boolean;
  readonly failed: Failed;
}

export const failureRow = (deps: Deps, caller: Caller, { provider, linking, failed }: Attempt): AuditInsert =>
  auditRow(caller, {
    action: 'auth.oauth.failed',
    now: deps.clock.now(),
    resource_type: 'user',
    resource_id: failed.about.user_id ?? NIL_UUID,
    // No actor for `account_exists`: the user in `about` is the owner of the email, not of this identity.
    actor_id: failed.failure === 'account_exists' ? null : (failed.about.user_id ?? null),
    organization_id: failed.about.organization_id ?? NIL_UUID,
    outcome: 'failure',
    metadata: { provider, reason: failed.failure, ...(linking && { linking }) },
  });

/** Values of `error` that OAuth or a provider defines. Others are not logged. */
const KNOWN_ERRORS: ReadonlySet<unknown> = new Set<unknown>([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'consent_required',
  'interaction_required',
  'login_required',
  'incorrect_client_credentials',
  'redirect_uri_mismatch',
  'bad_verification_code',
]);

const knownError = (code: unknown): string | undefined => (KNOWN_ERRORS.has(code) ? String(code) : undefined);

const DENIALS: ReadonlySet<unknown> = new Set(['access_denied', 'user_cancelled_authorize', 'user_denied']);

export const refusedBy = (error: unknown): Failed =>
  DENIALS.has(error)
    ? new Failed('access_denied')
    : new Failed('provider_error', {}, { cause: knownError(error) ?? 'refused' });

const MAX_CODE_CHARS = 4096;

export const isCode = (code: unknown): code is string =>
  typeof code === 'string' && code !== '' && code.length <= MAX_CODE_CHARS;

/** For the log: the failed check or network error. Never quotes a response, which may contain codes and secrets. */
export function causeOf(error: unknown): string {
  if (error instanceof ProviderFailure) return error.reason;
  if (error instanceof OutboundError) return error.message;
  const { code, cause, error: oauthError, name } = error as Record<'code' | 'cause' | 'error' | 'name', unknown>;
  // GitHub returns errors with status 200: the library finds no token and passes the body on in `cause`.
  const errorCode = oauthError ?? (cause as { body?: { error?: unknown } } | undefined)?.body?.error;
  const known = knownError(errorCode);
  if (known) return known;
  return typeof code === 'string' && /^[A-Z_]{3,60}$/.test(code) ? code : String(name);
}
