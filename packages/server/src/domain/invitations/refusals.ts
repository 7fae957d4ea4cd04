import { ServiceError } from '../kernel/service-error.ts';

export const noSuchInvitation = () => new ServiceError('not_found', 'there is no such invitation');

export const conflict = (message: string) => new ServiceError('conflict', message);

export const accountExists = () =>
  new ServiceError('authentication_required', 'this email has an account; sign in with it first');
