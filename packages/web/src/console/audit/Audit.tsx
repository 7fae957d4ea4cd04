import { isGatehouseError } from '@gatehouse/client';
import type { AuditRow } from '@gatehouse/contract';
import { Button, Group, Modal, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { Pager } from '../../app/Pager.tsx';
import { useFilters } from '../../app/search.ts';
import { usePlatformRole } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { throwUnlessShown } from '../renewal.ts';
import { useConsoleText } from '../text.ts';
import { UserSelect } from '../UserSelect.tsx';
import { isUuid } from '../uuid.ts';
import { ActionSelect } from './ActionSelect.tsx';
import { Events } from './Events.tsx';
import { ExportForm } from './ExportForm.tsx';
import { isFiltered, NO_FILTERS, queryOf } from './filters.ts';
import { MomentField } from './MomentField.tsx';
import { useText } from './text.ts';
import { actionName } from './words.ts';

const LIVE_INTERVAL_MS = 3_000;

/** The audit trail. The filters and the live mode are in the URL. */
export function Page() {
  const t = useText();
  // Loaded with the page: a part that suspends later for its text would replace the whole page.
  useConsoleText();
  const mayExport = usePlatformRole('admin');
  const [search, setFilters] = useFilters();
  const query = queryOf(search);
  const live = search.live === '1' && query.page === undefined;
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['audit', query],
    queryFn: () => client.audit.list(query),
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

/** Announces new events to screen readers. */
function Arrivals({ arrived }: { arrived: readonly AuditRow[] }) {
  const t = useText();
  return (
    <div role="status" className="visually-hidden">
      {arrived[0] && t.arrived(arrived.length, actionName(arrived[0].action, t))}
    </div>
  );
}

/** For platform admins: exports the audit trail as a signed file. */
function Export() {
  const t = useText().export;
  const words = useWords();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<Icon name="download" />} onClick={open}>
        {t.open}
      </Button>
      <Modal opened={opened} onClose={close} title={t.title} size="lg" closeButtonProps={{ 'aria-label': words.close }}>
        <ExportForm />
      </Modal>
    </>
  );
}

function FilterBar() {
  const t = useText();
  const [{ user_id, action, from, to }, setFilters] = useFilters();
  const choose = (change: Record<string, string | undefined>) => setFilters({ ...change, page: undefined });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} role="search" aria-label={t.filters}>
      <ActionSelect value={action} onChange={(next) => choose({ action: next })} />
      <UserSelect
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
  /** The id of the newest event when the live mode was turned on. */
  readonly newest: number;
}

/** Returns which events are new since live mode was turned on. `view` identifies the filters; undefined: not live. */
function useArrivals(rows: readonly AuditRow[] | undefined, view: string | undefined) {
  const [start, setStart] = useState<Start>();
  // The filters have changed, or the live mode was turned off.
  if (start !== undefined && start.view !== view) setStart(undefined);
  if (start === undefined && view !== undefined && rows) {
    setStart({ view, newest: Math.max(0, ...rows.map(({ id }) => id)) });
  }
  const isNew = ({ id }: AuditRow): boolean => start !== undefined && start.view === view && id > start.newest;
  return { isNew, arrived: rows?.filter(isNew) ?? [] };
}
