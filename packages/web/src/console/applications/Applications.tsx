import type { Application } from '@gatehouse/contract';
import { Anchor, Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Empty } from '../../app/Empty.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ReadOnly } from '../ReadOnly.tsx';
import { useConsoleText } from '../text.ts';
import { CreateForm } from './CreateForm.tsx';
import { APPLICATIONS_QUERY } from './query.ts';
import { StateTag } from './StateTag.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useConsoleText();
  const mayChange = usePlatformRole('admin');
  const { items } = useSuspenseQuery(APPLICATIONS_QUERY).data;
  const columns: Column<Application>[] = [
    {
      head: t.name,
      cell: ({ id, name }) => (
        <Anchor component={Link} to={`/console/applications/${id}`} size="sm" fw={550}>
          {name}
        </Anchor>
      ),
    },
    { head: t.kind, cell: ({ kind }) => t.kinds[kind].short, short: true },
    { head: t.status, cell: (application) => <StateTag application={application} />, short: true },
    { head: t.created, cell: ({ created_at }) => <Moment at={created_at} />, short: true },
  ];
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={mayChange && <CreateButton />} />
      <Stack>
        {!mayChange && <ReadOnly />}
        <Panel>
          {items.length === 0 ? (
            <Empty icon="app" title={t.empty}>
              {t.emptyHint}
            </Empty>
          ) : (
            <DataTable label={t.title} items={items} keyOf={({ id }) => id} columns={columns} />
          )}
        </Panel>
      </Stack>
    </>
  );
}

function CreateButton() {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<Icon name="add" />} onClick={open}>
        {t.create}
      </Button>
      <FormDialog opened={opened} onClose={close} title={t.create} centered={false}>
        <CreateForm onCancel={close} />
      </FormDialog>
    </>
  );
}
