import type { ErrorCode, StepUp } from '@gatehouse/contract';

interface Details {
  cause?: unknown;
  /** Seconds; sent as `Retry-After`. */
  retryAfter?: number;
}

/** The only error that use cases fail with. The message is sent to the client, the cause is only logged. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly retryAfter: number | undefined;
  /** Set if and only if the code is `mfa_required`; sent as `X-Service-Step-Up`. */
  readonly stepUp: StepUp | undefined;
  constructor(code: 'mfa_required', message: string, details: Details & { stepUp: StepUp });
  constructor(code: Exclude<ErrorCode, 'mfa_required'>, message: string, details?: Details);
  constructor(code: ErrorCode, message: string, details: Details & { stepUp?: StepUp } = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.retryAfter = details.retryAfter;
    this.stepUp = details.stepUp;
  }
}

export const notSignedIn = () => new ServiceError('authentication_required', 'sign in first');

/** §5.10: the same message for every kind of wrong credentials. */
export const badCredentials = () => new ServiceError('authentication_required', 'the credentials are not valid');

/** For a signed-in user, to whom the message may give details. */
export const wrongAnswer = (message: string) => new ServiceError('authentication_required', message);

const STEP_UP_MESSAGES: Readonly<Record<StepUp, string>> = {
  second_factor: 'verify your second factor at /auth/mfa/verify first',
  sign_in: 'sign in again first',
  enroll: 'set up a second factor at /auth/mfa/setup first',
};

/** 401 `mfa_required`: the session is valid, but its assurance is too low or its proof is too old for this request. */
export const stepUpRequired = (stepUp: StepUp, message = STEP_UP_MESSAGES[stepUp]) =>
  new ServiceError('mfa_required', message, { stepUp });

export const tooManyWrong = (retryAfter: number) =>
  new ServiceError('rate_limited', 'too many wrong attempts; try again later', { retryAfter });

export const tooMany = (retryAfter: number) =>
  new ServiceError('rate_limited', 'too many requests; try again later', { retryAfter });
