import { client } from '../ui/client.ts';

/** Names rarely change and are shown in many places. */
const STALE_AFTER_MS = 60_000;

export const organizationQuery = (id: string | undefined) => ({
  queryKey: ['named', 'organization', id],
  queryFn: () => client.organizations.read(id!),
  enabled: id !== undefined,
  staleTime: STALE_AFTER_MS,
});

export const userQuery = (id: string | undefined) => ({
  queryKey: ['named', 'user', id],
  queryFn: () => client.users.read(id!),
  enabled: id !== undefined,
  staleTime: STALE_AFTER_MS,
});
