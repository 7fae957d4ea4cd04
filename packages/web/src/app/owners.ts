import { useQuery } from '@tanstack/react-query';
import { client } from '../ui/client.ts';
import { useSession } from './session.ts';

/**
 * Returns whether other users can take over the organization of the session; undefined while loading. The list has up
 * to 1,000 members. If there are more, an owner among the others is assumed: the service decides in the end.
 */
export function useOthers(): { readonly hasOwner: boolean; readonly hasMember: boolean } | undefined {
  const { organization_id, user_id } = useSession().user;
  const { data } = useQuery({
    queryKey: ['members', organization_id, 'others'],
    queryFn: () => client.members.list(organization_id),
  });
  if (!data) return undefined;
  const others = data.items.filter((member) => member.user_id !== user_id && member.status === 'active');
  const isPartial = data.total > data.items.length;
  return {
    hasOwner: isPartial || others.some(({ role }) => role === 'owner'),
    hasMember: isPartial || others.length > 0,
  };
}
