import type { ServiceAccount } from '@gatehouse/contract';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../app/DataTable.tsx';
import { ListPage } from '../../app/ListPage.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { Tag } from '../../app/Tag.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { NotAllowed } from '../NotAllowed.tsx';
import { CreateAccount } from './AccountEditor.tsx';
import { accountsQuery } from './query.ts';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  if (!usePermission('machines.manage')) return <NotAllowed icon="machine" title={t.title} reason={t.notYours} />;
  return <Accounts />;
}

const pathOf = ({ id }: ServiceAccount): string => `/organization/machines/${id}`;

function Accounts() {
  const t = useText();
  const { organization_id } = useSession().user;
  const { data } = useSuspenseQuery(accountsQuery(organization_id));
  const columns: Column<ServiceAccount>[] = [
    {
      head: t.account,
      cell: (account) => (
        <>
          <Anchor component={Link} to={pathOf(account)}>
            {account.name}
          </Anchor>
          {account.description && (
            <Text size="sm" c="dimmed" maw="30rem">
              {account.description}
            </Text>
          )}
        </>
      ),
    },
    { head: t.roles, cell: ({ roles }) => <RoleTags roles={roles} /> },
    { head: t.status, cell: ({ disabled }) => <StateTag disabled={disabled} /> },
    { head: t.lastUsed, cell: ({ last_used_at }) => <Moment at={last_used_at} />, short: true },
  ];
  return (
    <ListPage
      title={t.title}
      lead={t.lead}
      actions={<CreateAccount />}
      data={data}
      icon="machine"
      empty={t.empty}
      emptyHint={t.emptyHint}
      keyOf={({ id }) => id}
      columns={columns}
      rowActions={(account) => (
        <Button
          variant="default"
          size="xs"
          component={Link}
          to={pathOf(account)}
          aria-label={`${t.open}: ${account.name}`}
        >
          {t.open}
        </Button>
      )}
    />
  );
}

export function RoleTags({ roles }: Pick<ServiceAccount, 'roles'>) {
  const t = useText();
  if (roles.length === 0) return <>{t.noRoles}</>;
  return (
    <Group gap={6}>
      {roles.map(({ id, name }) => (
        <Tag key={id}>{name}</Tag>
      ))}
    </Group>
  );
}

export function StateTag({ disabled }: Pick<ServiceAccount, 'disabled'>) {
  const t = useText();
  return disabled ? <Tag tone="bad">{t.disabled}</Tag> : <Tag tone="good">{t.active}</Tag>;
}
