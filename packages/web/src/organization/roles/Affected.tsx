import type { Role } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';

/** Says how many members have a role. Says nothing if not all members fit into one response. */
export function Affected({ role }: { role: Role }) {
  const t = useText().roles;
  const { organization_id } = useSession().user;
  const { data } = useQuery({
    queryKey: ['members', organization_id, 'with-roles'],
    queryFn: () => client.members.list(organization_id),
  });
  if (!data || data.total > data.items.length) return null;
  return <Text>{t.affected(data.items.filter(({ roles }) => roles.some(({ id }) => id === role.id)).length)}</Text>;
}
