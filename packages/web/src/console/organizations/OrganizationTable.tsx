import type { Organization } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { useText } from '../users/text.ts';
import { StateTag } from './StateTag.tsx';

interface Props {
  readonly organizations: readonly Organization[];
  readonly waiting: boolean;
}

export function OrganizationTable({ organizations, waiting }: Props) {
  const text = useText();
  const t = text.organizations;
  const columns: Column<Organization>[] = [
    {
      head: t.organization,
      cell: ({ id, name }) => (
        <Anchor component={Link} to={`/console/organizations/${id}`} inherit fw={550}>
          {name}
        </Anchor>
      ),
    },
    { head: t.slug, cell: ({ slug }) => slug },
    { head: text.status, cell: (organization) => <StateTag organization={organization} /> },
    { head: text.created, cell: ({ created_at }) => <Moment at={created_at} />, short: true },
  ];
  return <DataTable label={t.title} items={organizations} keyOf={({ id }) => id} columns={columns} waiting={waiting} />;
}
