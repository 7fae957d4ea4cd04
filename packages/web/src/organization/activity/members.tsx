import type { Member } from '@gatehouse/contract';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../app/session.ts';
import { RemoteSelect } from '../../console/RemoteSelect.tsx';
import { client } from '../../ui/client.ts';

const STALE_AFTER_MS = 60_000;

/** Returns the members by id: up to 1,000 of them. Former members are not listed. */
function useMembers(): ReadonlyMap<string, Member> | undefined {
  const { organization_id } = useSession().user;
  const { data } = useQuery({
    queryKey: ['members', organization_id, 'names'],
    queryFn: async () =>
      new Map((await client.members.list(organization_id)).items.map((item) => [item.user_id, item])),
    staleTime: STALE_AFTER_MS,
  });
  return data;
}

export function MemberName({ id }: { id: string }) {
  return useMembers()?.get(id)?.email ?? id;
}

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

const choiceOf = ({ user_id, email, display_name }: Member) => ({
  value: user_id,
  label: display_name ? `${display_name} (${email})` : email,
});

export function MemberSelect({ value, ...rest }: Props) {
  const { organization_id } = useSession().user;
  const members = useMembers();
  const member = value === undefined ? undefined : members?.get(value);
  return (
    <RemoteSelect
      {...rest}
      name="members"
      chosen={member ? choiceOf(member) : value === undefined ? undefined : { value, label: value }}
      search={async (q) => (await client.members.list(organization_id, { q, page_size: '25' })).items.map(choiceOf)}
    />
  );
}
