import { NativeSelect } from '@mantine/core';
import { Empty } from '../../app/Empty.tsx';
import { Listing } from '../../app/Listing.tsx';
import { useFilters } from '../../app/search.ts';
import { useSession } from '../../app/session.ts';
import { choiceFrom, pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../text.ts';
import { InvitationTable } from './InvitationTable.tsx';

const STATES = ['pending', 'accepted', 'revoked', 'expired'] as const;

export function InvitationList() {
  const t = useText().invitations;
  const { organization_id } = useSession().user;
  const [filters, setFilters] = useFilters();
  const status = choiceFrom(STATES, filters.status);
  const page = pageFrom(filters.page);
  const { data, isPlaceholderData } = useList(['invitations', organization_id, { status, page }], () =>
    client.invitations.list(organization_id, { status, page, page_size: '50' }),
  );
  return (
    <Panel title={t.list}>
      <NativeSelect
        label={t.filter}
        value={status ?? ''}
        onChange={(event) => setFilters({ status: event.currentTarget.value, page: undefined })}
        data={[{ value: '', label: t.all }, ...STATES.map((value) => ({ value, label: t.states[value] }))]}
        maw={220}
      />
      <Listing
        data={data}
        empty={
          <Empty icon="mail" title={t.none}>
            {status ? t.noneFound : t.noneYet}
          </Empty>
        }
      >
        {(items) => <InvitationTable invitations={items} waiting={isPlaceholderData} />}
      </Listing>
    </Panel>
  );
}
