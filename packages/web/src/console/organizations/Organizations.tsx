import type { Organization } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CreateDialog } from '../../app/CreateDialog.tsx';
import type { Column } from '../../app/DataTable.tsx';
import { ListPage } from '../../app/ListPage.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { usePlatformRole } from '../../app/session.ts';
import { pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Moment } from '../../ui/Moment.tsx';
import { useText } from '../users/text.ts';
import { CreateForm } from './CreateForm.tsx';
import { StateTag } from './StateTag.tsx';

export function Page() {
  const text = useText();
  const t = text.organizations;
  const mayCreate = usePlatformRole('admin');
  const [{ q, page: asked }] = useFilters();
  const page = pageFrom(asked);
  const { data, isPlaceholderData } = useList(['organizations', { q, page }], () =>
    client.organizations.list({ q, page }),
  );
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
  const create = (
    <CreateDialog verb={t.create} tall>
      <CreateForm />
    </CreateDialog>
  );
  return (
    <ListPage
      title={t.title}
      lead={t.lead}
      actions={mayCreate && create}
      filters={<SearchField label={t.search} placeholder={t.placeholder} />}
      count={t.count}
      data={data}
      waiting={isPlaceholderData}
      icon="building"
      empty={t.none}
      emptyHint={text.noSearch}
      keyOf={({ id }) => id}
      columns={columns}
    />
  );
}
