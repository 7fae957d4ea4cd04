import { NIL_UUID, OAUTH_FAILURES, type OAuthFailure, type OAuthProvider } from '@gatehouse/contract';
import type { AuditInsert } from '../../domain/audit/queries.ts';
import { auditRow } from '../../domain/audit/record.ts';
import type { Caller, Deps } from '../../domain/context.ts';
import { ProviderFailure } from '../../domain/providers/external-identity.ts';
import { ServiceError } from '../../domain/service-error.ts';
import { OutboundError } from '../../platform/outbound.ts';

/** Whom it was about, as far as that is known. */
interface About {
  readonly user_id?: string | undefined;
  readonly organization_id?: string | null | undefined;
}

interface Details {
  readonly retryAfter?: number;
  readonly cause?: string;
}

/** The contract, section 5: a way that ended before its goal, by the word that people and pages are told. */
export class Failed extends Error {
  readonly failure: OAuthFailure;
  readonly about: About;
  readonly retryAfter: number | undefined;
  /** For the log: what an operator can mend. */
  readonly reason: string | undefined;
  constructor(failure: OAuthFailure, about: About = {}, { retryAfter, cause }: Details = {}) {
    super(failure);
    this.failure = failure;
    this.about = about;
    this.retryAfter = retryAfter;
    this.reason = cause;
  }
}

const SENTENCES: Readonly<Record<OAuthFailure, string>> = {
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

/** The same for clients that speak JSON: the word, and what to do. */
export const asServiceError = ({ failure, retryAfter }: Failed): ServiceError =>
  new ServiceError(OAUTH_FAILURES[failure], `${failure}: ${SENTENCES[failure]}`, {
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
    // `account_exists` is about an account that this identity does not prove to be; the others name the proved one.
    actor_id: failed.failure === 'account_exists' ? null : (failed.about.user_id ?? null),
    organization_id: failed.about.organization_id ?? NIL_UUID,
    outcome: 'failure',
    metadata: { provider, reason: failed.failure, ...(linking && { linking }) },
  });

/** What providers say in `error`, as far as it is one of the words that OAuth or they themselves have laid down. */
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

export const knownError = (said: unknown): string | undefined => (KNOWN_ERRORS.has(said) ? String(said) : undefined);

/** For the log: which of our checks refused, or what the network said. An answer may quote codes and secrets: nothing of it. */
export function causeOf(error: unknown): string {
  if (error instanceof ProviderFailure) return error.reason;
  if (error instanceof OutboundError) return error.message;
  const { code, cause, error: refusal, name } = error as Record<'code' | 'cause' | 'error' | 'name', unknown>;
  // GitHub refuses with 200: then the library found no token there, and hands on what it found.
  const said = refusal ?? (cause as { body?: { error?: unknown } } | undefined)?.body?.error;
  const known = knownError(said);
  if (known) return known;
  return typeof code === 'string' && /^[A-Z_]{3,60}$/.test(code) ? code : String(name);
}
