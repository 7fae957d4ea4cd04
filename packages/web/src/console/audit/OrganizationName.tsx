import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { organizationQuery } from '../names.ts';
import { useText } from './text.ts';

/** An event that concerns no organization carries this id. */
const NIL = '00000000-0000-0000-0000-000000000000';

export function OrganizationName({ id }: { id: string }) {
  const t = useText().detail;
  const isNone = id === NIL;
  const { data } = useQuery(organizationQuery(isNone ? undefined : id));
  if (isNone) return t.noOrganization;
  return (
    <Anchor component={Link} to={`/console/organizations/${id}`} inherit>
      {data?.name ?? id}
    </Anchor>
  );
}
