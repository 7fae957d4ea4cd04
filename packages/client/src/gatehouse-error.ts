import type { ErrorCode, StepUp } from './wire.ts';

/** The error codes of the service, and `unreachable`: no response, or one that is not from the service. */
export type FailureCode = ErrorCode | 'unreachable';

interface Failure {
  readonly code: FailureCode;
  readonly status: number;
  readonly message: string;
  readonly retry_after?: number | undefined;
  readonly step_up?: StepUp | undefined;
  readonly request_id?: string | undefined;
  readonly signed_out?: boolean;
  readonly cause?: unknown;
}

/**
 * The error that every failed call rejects with, unless its signal aborted it. Switch on `code`.
 *
 * @example
 * ```ts
 * import { createClient, GatehouseError } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const code = await client.account.read().then(
 *   () => 'signed in',
 *   (error: unknown) => (error instanceof GatehouseError ? error.code : 'something else'),
 * );
 * console.log(code);
 * ```
 */
export class GatehouseError extends Error {
  readonly code: FailureCode;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** For `rate_limited`: seconds to wait before the next attempt. */
  readonly retry_after: number | undefined;
  /**
   * For `mfa_required`: what to do before repeating the call. `second_factor`: call `mfa.verify`. `sign_in`: sign in
   * again, with a passkey where a second factor is needed. `enroll`: the account has no second factor; set one up.
   * Undefined if the error is from your own API, or a proxy has removed the header.
   */
  readonly step_up: StepUp | undefined;
  /** Identifies the request in the log of the service. */
  readonly request_id: string | undefined;
  /** For `authentication_required`: true if the session has ended, false for a wrong password or code. */
  readonly signed_out: boolean;

  constructor({ code, status, message, retry_after, step_up, request_id, signed_out = false, cause }: Failure) {
    super(message, { cause });
    this.name = 'GatehouseError';
    this.code = code;
    this.status = status;
    this.retry_after = retry_after;
    this.step_up = step_up;
    this.request_id = request_id;
    this.signed_out = signed_out;
  }

  /** For `invalid_input`: the invalid fields, read from the message (`password: must be …; email: …`). */
  get fields(): readonly string[] {
    if (this.code !== 'invalid_input') return [];
    return this.message.split('; ').flatMap((part) => /^([a-z_]+(?:\.[a-z_]+)*): /.exec(part)?.[1] ?? []);
  }
}

/**
 * Returns whether `error` is a {@link GatehouseError} and, if `code` is given, has this code.
 *
 * @example
 * ```ts
 * import { createClient, isGatehouseError } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * await client.signIn.forgotPassword('ada@example.com').catch((error: unknown) => {
 *   if (isGatehouseError(error, 'rate_limited')) return error.retry_after;
 *   throw error;
 * });
 * ```
 */
export const isGatehouseError = (error: unknown, code?: FailureCode): error is GatehouseError =>
  error instanceof GatehouseError && (code === undefined || error.code === code);

/**
 * Returns whether a call failed because no user is signed in, so that the user has to sign in.
 *
 * @example
 * ```ts
 * import { createClient, isSignedOut } from '@gatehouse/client';
 *
 * const client = createClient({ base: 'http://localhost:8080/v1' });
 * const user = await client.account.read().catch((error: unknown) => {
 *   if (isSignedOut(error)) return null;
 *   throw error;
 * });
 * console.log(user?.email);
 * ```
 */
export const isSignedOut = (error: unknown): boolean => isGatehouseError(error) && error.signed_out;

/** §7: each code has one status. Of two codes with the same status, the more common one is first. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  authentication_required: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  invalid_input: 400,
  rate_limited: 429,
  mfa_required: 401,
  license_required: 403,
  internal_error: 500,
  csrf_failed: 403,
  payment_required: 402,
};
const CODES = Object.keys(STATUS) as ErrorCode[];

/** The response to a HEAD has no body, so its code is derived from the status. */
const codeOf = (bodyCode: unknown, { status }: Response, hasBody: boolean): FailureCode =>
  CODES.find((code) => (hasBody ? code === bodyCode : STATUS[code] === status)) ?? 'unreachable';

const STEP_UPS: readonly StepUp[] = ['second_factor', 'sign_in', 'enroll'];

const stepUpOf = ({ headers }: Response): StepUp | undefined =>
  STEP_UPS.find((stepUp) => stepUp === headers.get('x-service-step-up'));

/** Accepts any response: a proxy may have sent it instead of the service. */
export async function failureOf(answer: Response, { hasBody = true } = {}): Promise<GatehouseError> {
  const body = (await answer.json().catch(() => null)) as { error?: { code?: unknown; message?: unknown } } | null;
  const { code: bodyCode, message } = body?.error ?? {};
  const code = codeOf(bodyCode, answer, hasBody);
  const retry = answer.headers.get('retry-after') ?? '';
  return new GatehouseError({
    code,
    status: answer.status,
    message: code === bodyCode && typeof message === 'string' ? message : `the service answered ${answer.status}`,
    retry_after: /^\d{1,9}$/.test(retry) ? Number(retry) : undefined,
    step_up: code === 'mfa_required' ? stepUpOf(answer) : undefined,
    request_id: answer.headers.get('x-request-id') ?? undefined,
  });
}

export const unreachable = (cause: unknown): GatehouseError =>
  new GatehouseError({ code: 'unreachable', status: 0, message: 'the service could not be reached', cause });

/** For a call that sends no request, because the client knows that there is no session. */
export const notSignedInError = (): GatehouseError =>
  new GatehouseError({
    code: 'authentication_required',
    status: 0,
    message: 'no user is signed in',
    signed_out: true,
  });

/** Returns a copy of a 401 error with `signed_out` set. */
export const signedOut = (error: GatehouseError): GatehouseError =>
  new GatehouseError({ ...error, message: error.message, signed_out: true });
