import { ServiceError } from '../domain/kernel/service-error.ts';
import { equalBytes, hashToken } from '../platform/crypto/tokens.ts';
import { bearerOf } from './bearer.ts';
import type { Guard } from './route.ts';

/** Requires METRICS_TOKEN, if set, as a Bearer token. Compares hashes, so that timing does not reveal its length. */
export const metricsToken: Guard = {
  name: 'metrics token',
  check(request, { config: { METRICS_TOKEN } }) {
    if (METRICS_TOKEN === undefined) return;
    const given = bearerOf(request);
    if (given === undefined || !equalBytes(hashToken(given), hashToken(METRICS_TOKEN))) {
      throw new ServiceError('authentication_required', 'Authorization: must be Bearer with the METRICS_TOKEN');
    }
  },
};
