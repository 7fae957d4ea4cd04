import { NativeSelect, Stack, Text } from '@mantine/core';
import { Empty } from '../../app/Empty.tsx';
import { Listing } from '../../app/Listing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { SearchField } from '../../app/SearchField.tsx';
import { useFilters } from '../../app/search.ts';
import { choiceFrom, pageFrom, useList } from '../../app/use-list.ts';
import { isUuid } from '../../app/uuid.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { OrganizationSelect } from '../OrganizationSelect.tsx';
import { useText } from './text.ts';
import classes from './Users.module.css';
import { UserTable } from './UserTable.tsx';

const STATES = ['active', 'disabled', 'deleted'] as const;

export function Page() {
  const text = useText();
  const t = text.users;
  const [filters, setFilters] = useFilters();
  const { q } = filters;
  const page = pageFrom(filters.page);
  const status = choiceFrom(STATES, filters.status);
  const organization_id = isUuid(filters.organization_id) ? filters.organization_id : undefined;
  const { data, isPlaceholderData } = useList(['users', { q, status, organization_id, page }], () =>
    client.users.list({ q, status, organization_id, page }),
  );
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Panel>
        <Stack gap="xs">
          <div className={classes.filters}>
            <SearchField label={t.search} placeholder={t.placeholder} className={classes.search} />
            <OrganizationSelect
              label={t.inOrganization}
              placeholder={t.anyOrganization}
              value={organization_id}
              onChange={(id) => setFilters({ organization_id: id, page: undefined })}
            />
            <NativeSelect
              label={text.status}
              value={status ?? ''}
              onChange={(event) => setFilters({ status: event.currentTarget.value, page: undefined })}
              data={[{ value: '', label: text.all }, ...STATES.map((value) => ({ value, label: t.states[value] }))]}
            />
          </div>
          <Text size="sm" c="dimmed" role="status">
            {data && t.count(data.total)}
          </Text>
        </Stack>
        <Listing
          data={data}
          empty={
            <Empty icon="users" title={t.none}>
              {text.noSearch}
            </Empty>
          }
        >
          {(items) => <UserTable users={items} waiting={isPlaceholderData} />}
        </Listing>
      </Panel>
    </>
  );
}
