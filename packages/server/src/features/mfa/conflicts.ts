import { ServiceError } from '../../domain/kernel/service-error.ts';

export const alreadyOn = () => new ServiceError('conflict', 'MFA is already enabled');

export const isOff = () => new ServiceError('conflict', 'MFA is not enabled; start at /auth/mfa/setup');

export const noSetup = () =>
  new ServiceError('conflict', 'no MFA setup is pending, or it has expired; start again at /auth/mfa/setup');
