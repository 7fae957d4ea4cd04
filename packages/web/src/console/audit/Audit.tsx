import { isGatehouseError } from '@gatehouse/client';
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { Pager } from '../../app/Pager.tsx';
import { useFilters } from '../../app/search.ts';
import { usePlatformRole } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { throwUnlessShown } from '../renewal.ts';
import { useConsoleText } from '../text.ts';
import { Arrivals } from './Arrivals.tsx';
import { Events } from './Events.tsx';
import { Export } from './Export.tsx';
import { FilterBar } from './FilterBar.tsx';
import { isFiltered, NO_FILTERS, queryOf } from './filters.ts';
import { useText } from './text.ts';
import { useArrivals } from './use-arrivals.ts';

const LIVE = 3_000;

/** The trail. All that chooses events is in the address, and so is whether it is followed live. */
export function Page() {
  const t = useText();
  // Loaded along with the page: a part that waits for its words would take all of it away again.
  useConsoleText();
  const mayExport = usePlatformRole('admin');
  const [search, setFilters] = useFilters();
  const query = queryOf(search);
  const live = search.live === '1' && query.page === undefined;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['audit', query],
    queryFn: () => client.audit.list(query),
    refetchInterval: live && LIVE,
    staleTime: 0,
    placeholderData: keepPreviousData,
    throwOnError: (failure, asked) => !isGatehouseError(failure, 'invalid_input') && throwUnlessShown(failure, asked),
  });
  const arrivals = useArrivals(isPlaceholderData ? undefined : data?.items, live ? JSON.stringify(query) : undefined);
  const clear = (
    <Button variant="default" size="xs" onClick={() => setFilters(NO_FILTERS)}>
      {t.clearFilters}
    </Button>
  );
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={mayExport && <Export />} />
      <Stack>
        <Panel>
          <FilterBar />
          <Group justify="space-between">
            <Switch
              label={t.live}
              description={t.liveHelp}
              checked={live}
              onChange={(event) => setFilters({ live: event.currentTarget.checked ? '1' : undefined, page: undefined })}
            />
            {isFiltered(search) && clear}
          </Group>
        </Panel>
        <ErrorNote error={error ?? undefined} sentences={{ invalid_input: t.wrongFilters }} />
        {!data && !error && <Loading />}
        {data && (
          <Panel>
            <Arrivals {...arrivals} />
            {data.items.length === 0 ? (
              <Empty icon="audit" title={isFiltered(search) ? t.noneFoundTitle : t.emptyTitle}>
                {isFiltered(search) ? t.noneFound : t.empty}
              </Empty>
            ) : (
              <>
                <Text size="sm" c="dimmed">
                  {t.total(data.total)}
                </Text>
                <Events rows={data.items} isNew={arrivals.isNew} />
              </>
            )}
            <Pager {...data} />
          </Panel>
        )}
      </Stack>
    </>
  );
}
