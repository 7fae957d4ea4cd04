import type { Organization } from '@gatehouse/contract';
import { useQuery } from '@tanstack/react-query';
import { organizationQuery } from '../app/names.ts';
import { RemoteSelect } from '../app/RemoteSelect.tsx';
import { client } from '../ui/client.ts';

interface Props {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

const choiceOf = ({ id, name, slug }: Organization) => ({ value: id, label: `${name} (${slug})` });

export function OrganizationSelect({ value, ...rest }: Props) {
  const { data } = useQuery(organizationQuery(value));
  const chosen = data ? choiceOf(data) : value === undefined ? undefined : { value, label: value };
  return (
    <RemoteSelect
      {...rest}
      name="organizations"
      chosen={chosen}
      search={async (q) => (await client.organizations.list({ q })).items.map(choiceOf)}
    />
  );
}
