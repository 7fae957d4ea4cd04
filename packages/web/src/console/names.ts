import { client } from '../ui/client.ts';

/** They seldom change, and stand in many places. */
const AGE = 60_000;

/** Who or what an id stands for. */
export const organizationQuery = (id: string | undefined) => ({
  queryKey: ['named', 'organization', id],
  queryFn: () => client.organizations.read(id!),
  enabled: id !== undefined,
  staleTime: AGE,
});

export const userQuery = (id: string | undefined) => ({
  queryKey: ['named', 'user', id],
  queryFn: () => client.users.read(id!),
  enabled: id !== undefined,
  staleTime: AGE,
});
