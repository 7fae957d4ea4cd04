import { type NewApiKey, parseMoment } from '@gatehouse/contract';
import { requireAll } from '../../domain/authorization/assign-roles.ts';
import type { ActingMember } from '../../domain/authorization/require-permission.ts';
import { permissionsOf } from '../../domain/kernel/permissions.ts';
import { ServiceError } from '../../domain/kernel/service-error.ts';
import { findAccountForUpdate, lockAccountRoles } from '../../domain/machines/queries.ts';
import type { Tx } from '../../platform/db/connect.ts';
import { parseNetwork } from '../../platform/networks.ts';
import { noSuchAccount } from './describe.ts';

const invalid = (message: string) => new ServiceError('invalid_input', message);

/**
 * Requires every permission of the account. Locks the account, which serializes the writes of its keys. Returns the
 * permissions of the account.
 */
export async function requireAccountPermissions(tx: Tx, actor: ActingMember, id: string): Promise<string[]> {
  const account = await findAccountForUpdate(tx, { id, organization_id: actor.organization_id });
  if (!account || account.deleted_at !== null) throw noSuchAccount();
  const permissions = (await lockAccountRoles(tx, id)).flatMap((role) => role.permissions);
  await requireAll(tx, actor, permissions);
  return permissionsOf({ role: 'member', held: { roles: [], permissions } });
}

interface KeySettings {
  readonly name: string;
  readonly scopes: string[] | null;
  readonly expires_at: Date | null;
  readonly allowed_ips: string[];
  readonly allowed_referrers: string[];
}

/** Throws 400 for an end in the past, and for a malformed address or origin. Repetitions collapse. */
export function keySettings(input: NewApiKey, now: Date): KeySettings {
  const expires_at = input.expires_at == null ? null : new Date(parseMoment(input.expires_at));
  if (expires_at !== null && expires_at <= now) throw invalid('expires_at: must be in the future');
  return {
    name: input.name.trim(),
    scopes: input.scopes == null ? null : [...new Set(input.scopes)].sort(),
    expires_at,
    allowed_ips: [...new Set((input.allowed_ips ?? []).map(networkFrom))],
    allowed_referrers: [...new Set((input.allowed_referrers ?? []).map(originFrom))],
  };
}

function networkFrom(text: string): string {
  if (!parseNetwork(text))
    throw invalid('allowed_ips: must be IP addresses such as 192.0.2.7, or CIDR ranges such as 192.0.2.0/24');
  return text.toLowerCase();
}

function originFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase().replace(/:(80|443)$/, ifDefault);
  if (!isOrigin) throw invalid('allowed_referrers: must be origins such as https://app.example.com, with no path');
  return url.origin;

  function ifDefault(port: string): string {
    return url?.port === '' ? '' : port;
  }
}

/** docs/reference/machines.md#keys: a scope that the account lacks is 400. */
export function requireScopes(scopes: readonly string[] | null, permissions: readonly string[]): void {
  const missing = scopes?.find((name) => !permissions.includes(name));
  if (missing !== undefined) throw invalid(`scopes: the service account does not have the permission ${missing}`);
}
