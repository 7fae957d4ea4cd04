import type { Role, ServiceAccount } from '@gatehouse/contract';
import { nullWhenMissing } from '../../app/Missing.tsx';
import { queries } from '../../app/query.ts';
import { client } from '../../ui/client.ts';

export const accountsQuery = (organization_id: string) => ({
  queryKey: ['machines', organization_id],
  queryFn: () => client.serviceAccounts.list(organization_id),
});

/** Null if there is no such service account. */
export const accountQuery = (organization_id: string, id: string) => ({
  queryKey: ['machines', organization_id, id],
  queryFn: () => client.serviceAccounts.read(organization_id, id).catch(nullWhenMissing),
});

export const keysQuery = (organization_id: string, id: string) => ({
  queryKey: ['machines', organization_id, id, 'keys'],
  queryFn: () => client.apiKeys.list(organization_id, id),
});

export const reloadMachines = (): Promise<void> => queries.invalidateQueries({ queryKey: ['machines'] });

/** The permissions that every service account has. */
const ALWAYS = ['members.list', 'org.read'];

/** Returns what a service account may do, sorted: what it always has, and what its roles allow. */
export function permissionsOf({ roles }: ServiceAccount, known: readonly Role[]): string[] {
  const ids = roles.map(({ id }) => id);
  const given = known.filter(({ id }) => ids.includes(id)).flatMap(({ permissions }) => permissions);
  return [...new Set([...ALWAYS, ...given])].sort();
}
