import type { Organization, User } from '@gatehouse/contract';
import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Empty } from '../../app/Empty.tsx';
import { Listing } from '../../app/Listing.tsx';
import { filteredBy, useFilters } from '../../app/search.ts';
import { UserLine } from '../../app/UserLine.tsx';
import { pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { StatusTag } from '../users/StatusTag.tsx';
import { useText } from '../users/text.ts';

export function TeamPanel({ organization: { id } }: { organization: Organization }) {
  const words = useWords();
  const text = useText();
  const t = text.organizations;
  const [{ page: asked }] = useFilters();
  const page = pageFrom(asked);
  const { data, isPlaceholderData } = useList(['users', { organization_id: id, page }], () =>
    client.users.list({ organization_id: id, page }),
  );
  const membershipOf = (user: User) => user.memberships.find(({ organization_id }) => organization_id === id);
  const columns: Column<User>[] = [
    { head: text.users.user, cell: (user) => <UserLine user={user} to={`/console/users/${user.id}`} /> },
    {
      head: text.user.role,
      cell: (user) => {
        const membership = membershipOf(user);
        return membership ? words.roles[membership.role] : null;
      },
      short: true,
    },
    { head: text.status, cell: ({ status }) => <StatusTag status={status} /> },
    { head: text.user.since, cell: (user) => <Moment at={membershipOf(user)?.joined_at ?? null} />, short: true },
  ];
  return (
    <Panel title={t.members}>
      {data && data.total > 0 && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {text.users.count(data.total)}
          </Text>
          <Anchor component={Link} to="/console/users" search={filteredBy({ organization_id: id })} size="sm">
            {t.allMembers}
          </Anchor>
        </Group>
      )}
      <Listing data={data} empty={<Empty icon="users" title={t.noMembers} />}>
        {(items) => (
          <DataTable
            label={t.members}
            items={items}
            keyOf={(user) => user.id}
            columns={columns}
            waiting={isPlaceholderData}
          />
        )}
      </Listing>
    </Panel>
  );
}
