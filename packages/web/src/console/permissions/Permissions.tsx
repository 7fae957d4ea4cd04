import type { Permission } from '@gatehouse/contract';
import { Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { queries } from '../../app/query.ts';
import { usePlatformRole } from '../../app/session.ts';
import { showToast } from '../../app/toast-store.ts';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ReadOnly } from '../ReadOnly.tsx';
import { useConsoleText } from '../text.ts';
import { PermissionEditor } from './PermissionEditor.tsx';
import { PERMISSIONS_QUERY } from './query.ts';
import { useText } from './text.ts';

export function Page() {
  const t = useText().permissions;
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useConsoleText();
  const mayChange = usePlatformRole('admin');
  const { items } = useSuspenseQuery(PERMISSIONS_QUERY).data;
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
    <>
      <PageHead title={t.title} lead={t.lead} actions={mayChange && <PermissionEditor />} />
      <Stack>
        {!mayChange && <ReadOnly />}
        <Panel>
          {items.length === 0 ? (
            <Empty icon="key" title={t.empty}>
              {t.emptyHint}
            </Empty>
          ) : (
            <DataTable
              label={t.title}
              items={items}
              keyOf={({ name }) => name}
              columns={columns}
              actions={mayChange ? (permission) => <Actions permission={permission} /> : undefined}
            />
          )}
        </Panel>
      </Stack>
    </>
  );
}

function Actions({ permission }: { permission: Permission }) {
  const t = useText().permissions;
  const { name } = permission;
  return (
    <>
      <PermissionEditor permission={permission} />
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
      >
        {t.remove}
      </ConfirmButton>
    </>
  );
}
