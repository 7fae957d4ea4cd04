import type { ErrorCode } from '@gatehouse/contract';

interface Details {
  cause?: unknown;
  /** Seconds; goes out as `Retry-After`. */
  retryAfter?: number;
}

/** The one error a use case throws or refuses with. Its message goes out; its cause goes to the log alone. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly retryAfter: number | undefined;
  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.retryAfter = details.retryAfter;
  }
}

export const notSignedIn = () => new ServiceError('authentication_required', 'sign in first');

/** §5.10: one message, whatever was wrong with the credentials. */
export const badCredentials = () => new ServiceError('authentication_required', 'the credentials are not valid');

/** Of somebody signed in, who may be told more. */
export const wrongAnswer = (message: string) => new ServiceError('authentication_required', message);

export const tooManyWrong = (retryAfter: number) =>
  new ServiceError('rate_limited', 'too many wrong attempts; try again later', { retryAfter });

export const tooMany = (retryAfter: number) =>
  new ServiceError('rate_limited', 'too many requests; try again later', { retryAfter });
