import { ServiceError } from '../../domain/service-error.ts';

export const alreadyOn = () => new ServiceError('conflict', 'MFA is already enabled');

export const isOff = () => new ServiceError('conflict', 'MFA is not enabled; begin at /auth/mfa/setup');

export const noSetup = () =>
  new ServiceError('conflict', 'no setup is under way, or it has ended; begin again at /auth/mfa/setup');
