import { permissionsIn, requireAll, requireFound } from '../../domain/authorization/assign-roles.ts';
import type { ActingMember } from '../../domain/authorization/require-permission.ts';
import type { Deps } from '../../domain/context.ts';
import { canonicalDomain } from '../../domain/kernel/email-domain.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { findAssignableRoles } from '../../domain/roles/queries.ts';
import { lockConnectionDomains, updateDomainConnection } from '../../domain/sso/queries.ts';
import { seal } from '../../platform/crypto/seal.ts';
import type { Tx } from '../../platform/db/connect.ts';

const invalid = (message: string) => new ServiceError('invalid_input', message);

/**
 * Returns the issuer as given: `iss` must equal it exactly. OpenID Connect Discovery 1.0: an issuer has no query and no
 * fragment. The IP address of its host is checked at each request.
 */
export function checkedIssuer({ config }: Deps, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('issuer: must be an absolute https URL');
  if (url.protocol === 'http:' && config.PRIVATE_NETWORKS !== 'allow')
    throw invalid('issuer: must begin with https://');
  if (url.username !== '' || url.password !== '') throw invalid('issuer: must not contain a user name or password');
  if (/[?#]/.test(text)) throw invalid('issuer: must not contain a query or a fragment');
  return text;
}

export function sealGiven({ configKeyring }: Deps, connection_id: string, secret: string | null): string | null {
  if (secret === null) return null;
  if (!configKeyring) {
    throw invalid('client_secret: cannot be stored, because the operator has not set CONFIG_ENCRYPTION_KEY');
  }
  return seal(configKeyring, { purpose: 'sso', row: connection_id }, secret);
}

/** Returns canonical names without duplicates. Throws 400 for a text that is not a domain name. */
export const domainNames = (given: readonly string[]): string[] => {
  const names = given.map((text) => {
    const name = canonicalDomain(text.trim());
    if (name === undefined) throw invalid('domains: must be domain names such as example.com');
    return name;
  });
  return [...new Set(names)];
};

/** Throws 400 for an unknown role, 403 for one that the caller may not assign. Callers must call `lockRoles` first. */
export async function requireRoles(tx: Tx, actor: ActingMember, role_ids: readonly string[]): Promise<void> {
  const roles = await findAssignableRoles(tx, actor.organization_id, role_ids);
  requireFound(roles, role_ids);
  await requireAll(tx, actor, permissionsIn(roles));
}

interface ConnectionKey {
  readonly id: string;
  readonly organization_id: string;
}

/** Replaces the domains of a connection. Returns whether any was added, and whether a verified one was removed. */
export async function replaceDomains(
  tx: Tx,
  { id, organization_id }: ConnectionKey,
  names: readonly string[],
): Promise<{ added: boolean; removed: boolean }> {
  const rows = await lockConnectionDomains(tx, { organization_id, connection_id: id, names });
  const verified = new Map(rows.filter(({ verified_at }) => verified_at !== null).map((row) => [row.domain, row]));
  const chosen = names.map((name) => {
    const row = verified.get(name);
    if (!row) throw invalid(`domains: ${name} is not a verified domain of this organization`);
    return row;
  });
  const taken = chosen.find(({ connection_id }) => connection_id !== null && connection_id !== id);
  if (taken) throw new ServiceError('conflict', `domains: ${taken.domain} belongs to another connection`);
  const added = chosen.filter(({ connection_id }) => connection_id === null);
  const removed = rows.filter((row) => row.connection_id === id && !chosen.includes(row));
  if (added.length > 0)
    await updateDomainConnection(
      tx,
      added.map((row) => row.id),
      id,
    );
  if (removed.length > 0)
    await updateDomainConnection(
      tx,
      removed.map((row) => row.id),
      null,
    );
  return { added: added.length > 0, removed: removed.some(({ verified_at }) => verified_at !== null) };
}
