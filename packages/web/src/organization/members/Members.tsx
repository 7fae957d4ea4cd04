import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ListPage } from '../../app/ListPage.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { useHome, usePermission, useSession } from '../../app/session.ts';
import { pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { useText } from '../text.ts';
import { useMemberTable } from './use-member-table.tsx';

export function Page() {
  const t = useText().members;
  const { organization_id } = useSession().user;
  const home = useHome();
  const mayInvite = usePermission('members.invite');
  const [{ q, page: asked }] = useFilters();
  const page = pageFrom(asked);
  const { data, isPlaceholderData } = useList(['members', organization_id, { q, page }], () =>
    client.members.list(organization_id, { q, page, page_size: '50' }),
  );
  const { columns, actions } = useMemberTable();
  return (
    <ListPage
      title={t.title}
      lead={home && t.lead(home.organization_name)}
      actions={
        mayInvite && (
          <Button component={Link} to="/organization/invitations">
            {t.invite}
          </Button>
        )
      }
      filters={<SearchField label={t.search} placeholder={t.placeholder} />}
      count={t.count}
      data={data}
      waiting={isPlaceholderData}
      icon="users"
      empty={t.nobody}
      emptyHint={t.nobodyHint}
      keyOf={({ user_id }) => user_id}
      columns={columns}
      rowActions={actions}
    />
  );
}
