import { Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../app/Empty.tsx';
import { Listing } from '../../app/Listing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { useHome, usePermission, useSession } from '../../app/session.ts';
import { pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../text.ts';
import { MemberTable } from './MemberTable.tsx';

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
  return (
    <>
      <PageHead
        title={t.title}
        lead={home && t.lead(home.organization_name)}
        actions={
          mayInvite && (
            <Button component={Link} to="/organization/invitations">
              {t.invite}
            </Button>
          )
        }
      />
      <Panel>
        <Stack gap="xs">
          <SearchField label={t.search} placeholder={t.placeholder} />
          <Text size="sm" c="dimmed" role="status">
            {data && t.count(data.total)}
          </Text>
        </Stack>
        <Listing
          data={data}
          empty={
            <Empty icon="users" title={t.nobody}>
              {t.nobodyHint}
            </Empty>
          }
        >
          {(items) => <MemberTable members={items} waiting={isPlaceholderData} />}
        </Listing>
      </Panel>
    </>
  );
}
