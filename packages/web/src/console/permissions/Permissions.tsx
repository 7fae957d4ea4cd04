import type { Permission } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import type { Column } from '../../app/DataTable.tsx';
import { ListPage } from '../../app/ListPage.tsx';
import { queries } from '../../app/query.ts';
import { usePlatformRole } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { ReadOnly } from '../ReadOnly.tsx';
import { CreatePermission, EditPermission } from './PermissionEditor.tsx';
import { PERMISSIONS_QUERY } from './query.ts';
import { useText } from './text.ts';

export function Page() {
  const t = useText().permissions;
  const mayChange = usePlatformRole('admin');
  const { data } = useSuspenseQuery(PERMISSIONS_QUERY);
  const columns: Column<Permission>[] = [
    {
      head: t.name,
      cell: ({ name }) => (
        <Text size="sm" fw={550}>
          {name}
        </Text>
      ),
    },
    { head: t.description, cell: ({ description }) => description },
    { head: t.created, cell: ({ created_at }) => <Moment at={created_at} />, short: true },
  ];
  return (
    <ListPage
      title={t.title}
      lead={t.lead}
      actions={mayChange && <CreatePermission />}
      notes={!mayChange && <ReadOnly />}
      data={data}
      icon="key"
      empty={t.empty}
      emptyHint={t.emptyHint}
      keyOf={({ name }) => name}
      columns={columns}
      rowActions={mayChange ? (permission) => <Actions permission={permission} /> : undefined}
    />
  );
}

function Actions({ permission }: { permission: Permission }) {
  const t = useText().permissions;
  const { name } = permission;
  return (
    <>
      <EditPermission permission={permission} />
      <ConfirmButton
        label={`${t.remove}: ${name}`}
        title={t.removeTitle(name)}
        question={t.removeQuestion(name)}
        verb={t.remove}
        sentences={{ rate_limited: t.limited }}
        work={async () => {
          await client.permissions.remove(name);
          await Promise.all([
            queries.invalidateQueries(PERMISSIONS_QUERY),
            queries.invalidateQueries({ queryKey: ['global-roles'] }),
          ]);
          showToast(t.removed(name));
        }}
      />
    </>
  );
}
