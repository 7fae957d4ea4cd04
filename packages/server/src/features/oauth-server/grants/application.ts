import type { ApplicationRow } from '../../../domain/applications/queries.ts';
import type { Deps } from '../../../domain/context.ts';
import type { Caller } from '../../../domain/kernel/caller.ts';
import { TokenFailure } from '../../../domain/kernel/token-failure.ts';
import { addressCounters } from '../../../domain/limits/address-counters.ts';
import { authenticateClient } from '../client.ts';
import type { TokenGrant, TokenRequest } from '../token-grant.ts';

/**
 * Authenticates and counts the client (docs/reference/oauth-server.md#audit-and-limits): a public one per address, so
 * that others cannot use up its limit.
 */
export async function admitApplication(deps: Deps, caller: Caller, { client }: TokenRequest): Promise<ApplicationRow> {
  const application = await authenticateClient(deps, client);
  const { limiter } = deps;
  const { id, kind } = application;
  const quota = deps.config.LIMIT_APPLICATION_TOKENS;
  const counters =
    kind === 'web'
      ? [limiter.counter('application tokens', id, quota)]
      : addressCounters(limiter, caller, `application tokens ${id}`, quota);
  const { allowed, retryAfter } = await limiter.hit(...counters);
  if (!allowed) throw new TokenFailure('temporarily_unavailable', 'too many requests; try again later', { retryAfter });
  return application;
}

/** Applications act for users only; service accounts have their own kind of client. */
async function refuseCredentials(deps: Deps, caller: Caller, request: TokenRequest): Promise<never> {
  await admitApplication(deps, caller, request);
  throw new TokenFailure('unauthorized_client', 'an application cannot get tokens for itself');
}

export const applicationCredentials: TokenGrant = {
  grant_type: 'client_credentials',
  clients: 'application',
  handle: refuseCredentials,
};
