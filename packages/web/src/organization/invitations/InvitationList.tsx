import { NativeSelect } from '@mantine/core';
import { Empty } from '../../app/Empty.tsx';
import { Pager } from '../../app/Pager.tsx';
import { useFilters } from '../../app/search.ts';
import { useSession } from '../../app/session.ts';
import { choiceFrom, pageFrom, useList } from '../../app/use-list.ts';
import { client } from '../../ui/client.ts';
import { Loading } from '../../ui/Loading.tsx';
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
      {!data && <Loading />}
      {data?.items.length === 0 && (
        <Empty icon="mail" title={t.none}>
          {status ? t.noneFound : t.noneYet}
        </Empty>
      )}
      {data && data.items.length > 0 && <InvitationTable invitations={data.items} waiting={isPlaceholderData} />}
      {data && <Pager {...data} />}
    </Panel>
  );
}
