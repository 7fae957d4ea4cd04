import { ServiceError } from '../kernel/service-error.ts';

/** The same error for an unknown, used or expired link and for an inactive account. */
export const invalidLink = () =>
  new ServiceError('authentication_required', 'the link is invalid, was already used, or has expired');
