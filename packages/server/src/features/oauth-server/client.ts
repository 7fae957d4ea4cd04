import type { ApplicationRow } from '../../domain/applications/queries.ts';
import type { Deps } from '../../domain/context.ts';
import { invalidClient } from '../../domain/kernel/token-failure.ts';
import { equalBytes, hashToken } from '../../platform/crypto/tokens.ts';
import type { ClientCredentials } from './token-grant.ts';

/**
 * RFC 6749, section 2.3: an application of kind `web` proves one of its secrets; public applications have none and must
 * not send one. The same error for an unknown, disabled or deleted application and for a wrong secret.
 */
export async function authenticateClient(
  deps: Deps,
  { client_id, client_secret }: ClientCredentials,
): Promise<ApplicationRow> {
  const application = await deps.applications.find(client_id);
  if (!application) throw invalidClient();
  if (application.kind !== 'web') {
    if (client_secret !== undefined) throw invalidClient();
    return application;
  }
  const given = hashToken(client_secret ?? '');
  const now = deps.clock.now();
  const isProved = application.secrets
    .filter(({ expires_at }) => expires_at === null || new Date(expires_at) > now)
    .some(({ hash }) => equalBytes(Buffer.from(hash, 'hex'), given));
  if (client_secret === undefined || !isProved) throw invalidClient();
  return application;
}
