import { normalizeEmail, type SsoDiscoverRequest, type SsoDiscovery } from '@gatehouse/contract';
import type { Deps } from '../../domain/context.ts';
import { domainOfEmail } from '../../domain/kernel/email-domain.ts';
import { findConnectionFor } from './queries.ts';

/** POST /auth/sso/discover. Depends only on the domain of the address: the same query runs for every address. */
export async function discover({ db, config }: Deps, { email }: SsoDiscoverRequest): Promise<SsoDiscovery> {
  const found = await findConnectionFor(db, domainOfEmail(normalizeEmail(email)) ?? '');
  if (!found) return { connection: null };
  const { id, name, policy } = found;
  const start_url = `${config.PUBLIC_BASE_URL}${config.ROUTE_PREFIX}/auth/sso/${id}/start`;
  return { connection: { id, name, start_url, required: policy?.sso_required ?? false } };
}
