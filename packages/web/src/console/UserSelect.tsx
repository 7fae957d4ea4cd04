import type { User } from '@gatehouse/contract';
import { useQuery } from '@tanstack/react-query';
import { userQuery } from '../app/names.ts';
import { RemoteSelect } from '../app/RemoteSelect.tsx';
import { client } from '../ui/client.ts';

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

const choiceOf = ({ id, email, display_name }: User) => ({
  value: id,
  label: display_name ? `${display_name} (${email})` : email,
});

export function UserSelect({ value, ...rest }: Props) {
  const { data } = useQuery(userQuery(value));
  const chosen = data ? choiceOf(data) : value === undefined ? undefined : { value, label: value };
  return (
    <RemoteSelect
      {...rest}
      name="users"
      chosen={chosen}
      search={async (q) => (await client.users.list({ q })).items.map(choiceOf)}
    />
  );
}
