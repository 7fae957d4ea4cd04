import { ServiceError } from '../domain/service-error.ts';
import { equalBytes, hashToken } from '../platform/crypto/tokens.ts';
import { bearerOf, type Guard } from './guards.ts';

/** METRICS_TOKEN, if set. Compares hashes, so that the response time does not reveal the length of the token. */
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
