import type { Member } from '@gatehouse/contract';
import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RemoteSelect } from '../../app/RemoteSelect.tsx';
import { useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';

const STALE_AFTER_MS = 60_000;

/** Returns the members by id: up to 1,000 of them. Former members are not listed. */
function useMembers() {
  const { organization_id } = useSession().user;
  const { data } = useQuery({
    queryKey: ['members', organization_id, 'names'],
    queryFn: async () => {
      const { items, total } = await client.members.list(organization_id);
      return { byId: new Map(items.map((item) => [item.user_id, item])), isComplete: items.length === total };
    },
    staleTime: STALE_AFTER_MS,
  });
  return data;
}

export function MemberName({ id }: { id: string }) {
  const t = useText().activity;
  const members = useMembers();
  const email = members?.byId.get(id)?.email;
  if (email || !members?.isComplete) return email ?? id;
  return (
    <>
      {t.former} <Code>{id}</Code>
    </>
  );
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
  const member = value === undefined ? undefined : members?.byId.get(value);
  return (
    <RemoteSelect
      {...rest}
      name="members"
      chosen={member ? choiceOf(member) : value === undefined ? undefined : { value, label: value }}
      search={async (q) => (await client.members.list(organization_id, { q, page_size: '25' })).items.map(choiceOf)}
    />
  );
}
