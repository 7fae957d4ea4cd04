import { NIL_UUID, OAUTH_FAILURES, type OAuthFailure } from '@gatehouse/contract';
import { ServiceError } from '../kernel/service-error.ts';

export interface About {
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

/**
 * The part of the audit row that every failure has. After the failure `stranger`, the user in `about` has not acted:
 * the identity is not theirs.
 */
export const failureBase = ({ failure, about }: Failed, stranger: OAuthFailure, now: Date) =>
  ({
    now,
    resource_type: 'user',
    resource_id: about.user_id ?? NIL_UUID,
    actor_id: failure === stranger ? null : (about.user_id ?? null),
    outcome: 'failure',
  }) as const;

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

export const knownError = (code: unknown): string | undefined => (KNOWN_ERRORS.has(code) ? String(code) : undefined);

const DENIALS: ReadonlySet<unknown> = new Set(['access_denied', 'user_cancelled_authorize', 'user_denied']);

export const refusedBy = (error: unknown): Failed =>
  DENIALS.has(error)
    ? new Failed('access_denied')
    : new Failed('provider_error', {}, { cause: knownError(error) ?? 'refused' });
