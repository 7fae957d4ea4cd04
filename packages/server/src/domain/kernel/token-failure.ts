import type { TokenErrorCode } from '@gatehouse/contract';

interface Details {
  cause?: unknown;
  /** Seconds; sent as `Retry-After`. */
  retryAfter?: number;
}

/** An error of an endpoint below `/oauth`, with a code of RFC 6749. Elsewhere use cases throw `ServiceError`. */
export class TokenFailure extends Error {
  readonly code: TokenErrorCode;
  readonly retryAfter: number | undefined;
  constructor(code: TokenErrorCode, description: string, details: Details = {}) {
    super(description, { cause: details.cause });
    this.code = code;
    this.retryAfter = details.retryAfter;
  }
}

/** The same for every reason: an unknown client, a wrong secret, an address that is not allowed. */
export const invalidClient = () => new TokenFailure('invalid_client', 'the client could not be authenticated');
