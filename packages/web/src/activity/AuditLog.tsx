import { isGatehouseError } from '@gatehouse/client';
import type { AuditRow } from '@gatehouse/contract';
import { Button, Group, SimpleGrid, Stack, Switch } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Dimmed } from '../app/Dimmed.tsx';
import { Empty } from '../app/Empty.tsx';
import { Listing } from '../app/Listing.tsx';
import { throwUnlessShown } from '../app/renewal.ts';
import { useFilters } from '../app/search.ts';
import { isUuid } from '../app/uuid.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ActionSelect } from './ActionSelect.tsx';
import { Events } from './Events.tsx';
import { isFiltered, NO_FILTERS, queryOf } from './filters.ts';
import { MomentField } from './MomentField.tsx';
import { useAuditSource } from './source.ts';
import { useText } from './text.ts';
import { actionName } from './words.ts';

const LIVE_INTERVAL_MS = 3_000;

export function AuditLog() {
  const t = useText();
  const source = useAuditSource();
  const [search, setFilters] = useFilters();
  const query = queryOf(search);
  const live = search.live === '1' && query.page === undefined;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: [...source.key, query],
    queryFn: () => source.list(query),
    refetchInterval: live && LIVE_INTERVAL_MS,
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
      {(data || !error) && (
        <Panel>
          <Arrivals {...arrivals} />
          <Listing
            data={data}
            empty={
              <Empty icon="audit" title={isFiltered(search) ? t.noneFoundTitle : t.emptyTitle}>
                {isFiltered(search) ? t.noneFound : t.empty}
              </Empty>
            }
          >
            {(rows) => (
              <>
                <Dimmed>{data && t.total(data.total)}</Dimmed>
                <Events rows={rows} isNew={arrivals.isNew} />
              </>
            )}
          </Listing>
        </Panel>
      )}
    </Stack>
  );
}

/** Announces new events to screen readers. */
function Arrivals({ arrived }: { arrived: readonly AuditRow[] }) {
  const t = useText();
  return (
    <div role="status" className="visually-hidden">
      {arrived[0] && t.arrived(arrived.length, actionName(arrived[0].action, t))}
    </div>
  );
}

function FilterBar() {
  const t = useText();
  const { UserField } = useAuditSource();
  const [{ user_id, action, from, to }, setFilters] = useFilters();
  const choose = (change: Record<string, string | undefined>) => setFilters({ ...change, page: undefined });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} role="search" aria-label={t.filters}>
      <ActionSelect value={action} onChange={(next) => choose({ action: next })} />
      <UserField
        label={t.user}
        placeholder={t.anyUser}
        value={isUuid(user_id) ? user_id : undefined}
        onChange={(next) => choose({ user_id: next })}
      />
      <MomentField label={t.from} value={from} end="first" onChange={(next) => choose({ from: next })} />
      <MomentField label={t.to} value={to} end="last" onChange={(next) => choose({ to: next })} />
    </SimpleGrid>
  );
}

interface Start {
  readonly view: string;
  /** The newest event when the live mode was turned on. */
  readonly newest: number;
}

/** Returns which events are new since live mode was turned on. `view` identifies the filters; undefined: not live. */
function useArrivals(rows: readonly AuditRow[] | undefined, view: string | undefined) {
  const [start, setStart] = useState<Start>();
  if (start !== undefined && start.view !== view) setStart(undefined);
  if (start === undefined && view !== undefined && rows) {
    setStart({ view, newest: Math.max(0, ...rows.map(({ id }) => id)) });
  }
  const isNew = ({ id }: AuditRow): boolean => start !== undefined && start.view === view && id > start.newest;
  return { isNew, arrived: rows?.filter(isNew) ?? [] };
}
