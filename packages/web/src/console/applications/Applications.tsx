import type { Application } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CreateDialog } from '../../app/CreateDialog.tsx';
import type { Column } from '../../app/DataTable.tsx';
import { ListPage } from '../../app/ListPage.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { Moment } from '../../ui/Moment.tsx';
import { ReadOnly } from '../ReadOnly.tsx';
import { CreateForm } from './CreateForm.tsx';
import { APPLICATIONS_QUERY } from './query.ts';
import { StateTag } from './StateTag.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  const mayChange = usePlatformRole('admin');
  const { data } = useSuspenseQuery(APPLICATIONS_QUERY);
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
  const create = (
    <CreateDialog verb={t.create} tall>
      <CreateForm />
    </CreateDialog>
  );
  return (
    <ListPage
      title={t.title}
      lead={t.lead}
      actions={mayChange && create}
      notes={!mayChange && <ReadOnly />}
      data={data}
      icon="app"
      empty={t.empty}
      emptyHint={t.emptyHint}
      keyOf={({ id }) => id}
      columns={columns}
    />
  );
}
