import type { Membership, User } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Empty } from '../../app/Empty.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

export function MembershipPanel({ user: { memberships, status } }: { user: User }) {
  const words = useWords();
  const t = useText().user;
  if (status === 'deleted') return null;
  const columns: Column<Membership>[] = [
    {
      head: t.organization,
      cell: ({ organization_id, organization_name }) => (
        <Anchor component={Link} to={`/console/organizations/${organization_id}`} inherit fw={550}>
          {organization_name}
        </Anchor>
      ),
    },
    { head: t.role, cell: ({ role }) => words.roles[role], short: true },
    { head: t.since, cell: ({ joined_at }) => <Moment at={joined_at} />, short: true },
  ];
  return (
    <Panel title={t.memberships}>
      {memberships.length === 0 ? (
        <Empty icon="building" title={t.noMemberships} />
      ) : (
        <DataTable
          label={t.memberships}
          items={memberships}
          keyOf={({ organization_id }) => organization_id}
          columns={columns}
        />
      )}
    </Panel>
  );
}
