import { ServiceError } from '../service-error.ts';

/** Never ours, used, too old, or of somebody who may not come in: which one is not said. */
export const invalidLink = () =>
  new ServiceError('authentication_required', 'the link is invalid, was already used, or has expired');
