import type { DeliveryPage, Webhook, WebhookDelivery } from '@gatehouse/contract';
import { Button, Code, NativeSelect, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useText as useAuditText } from '../activity/text.ts';
import { actionName } from '../activity/words.ts';
import { type Column, DataTable } from '../app/DataTable.tsx';
import { Empty } from '../app/Empty.tsx';
import { Listing } from '../app/Listing.tsx';
import { useFilters } from '../app/search.ts';
import { showToast } from '../app/toast-store.ts';
import { choiceFrom, pageFrom } from '../app/use-list.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { Moment } from '../ui/Moment.tsx';
import { Panel } from '../ui/Panel.tsx';
import { useAction } from '../ui/use-action.ts';
import { reloadWebhooks, useWebhookSource } from './source.ts';
import { useText } from './text.ts';
import { DeliveryTag } from './WebhookTags.tsx';

const STATUSES = ['pending', 'delivered', 'failed'] as const;
/** While a delivery is pending, the log is loaded again after this time. */
const INTERVAL_MS = 3_000;

const isWaiting = (page: DeliveryPage | undefined): boolean =>
  page?.items.some(({ status }) => status === 'pending') ?? false;

export function DeliveryLog({ webhook: { id, enabled } }: { webhook: Webhook }) {
  const t = useText();
  const source = useWebhookSource();
  const [filters, setFilters] = useFilters();
  const status = choiceFrom(STATUSES, filters.status);
  const page = pageFrom(filters.page);
  const { data, isPlaceholderData } = useQuery({
    queryKey: [...source.key, 'deliveries', id, { status, page }],
    queryFn: () => source.deliveries(id, { status, page }),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => enabled && isWaiting(query.state.data) && INTERVAL_MS,
    throwOnError: (_error, query) => query.state.data === undefined,
  });
  return (
    <Panel title={t.deliveries} lead={t.deliveriesLead}>
      <NativeSelect
        label={t.filter}
        value={status ?? ''}
        onChange={(event) => setFilters({ status: event.currentTarget.value, page: undefined })}
        data={[{ value: '', label: t.all }, ...STATUSES.map((value) => ({ value, label: t.statuses[value] }))]}
        maw={220}
      />
      <Listing
        data={data}
        empty={
          <Empty icon="bolt" title={t.none}>
            {status ? t.noneFound : t.noneYet}
          </Empty>
        }
      >
        {(items) => <Deliveries items={items} waiting={isPlaceholderData} webhook={id} mayRetry={enabled} />}
      </Listing>
    </Panel>
  );
}

/** Returns the status of the last response and why the attempt failed: `HTTP 500, not accepted`. */
function resultOf({ last_status, last_error }: WebhookDelivery, failures: Readonly<Record<string, string>>): string {
  const [reason = '', ...details] = last_error?.split(' ') ?? [];
  const failure = [(Object.hasOwn(failures, reason) ? failures[reason] : undefined) ?? reason, ...details].join(' ');
  return [last_status === null ? '' : `HTTP ${last_status}`, failure].filter(Boolean).join(', ');
}

const isSoon = (moment: string): boolean => Date.parse(moment) - Date.now() < 60_000;

interface Props {
  readonly items: readonly WebhookDelivery[];
  readonly waiting: boolean;
  readonly webhook: string;
  readonly mayRetry: boolean;
}

function Deliveries({ items, waiting, webhook, mayRetry }: Props) {
  const t = useText();
  const audit = useAuditText();
  const columns: Column<WebhookDelivery>[] = [
    {
      head: t.event,
      cell: ({ type, event_id }) => (
        <div>
          <Text size="sm" fw={550}>
            {type === 'webhook.test' ? t.testEvent : actionName(type, audit)}
          </Text>
          <Text size="xs" c="dimmed">
            {type}
          </Text>
          <Code style={{ whiteSpace: 'nowrap' }}>{event_id}</Code>
        </div>
      ),
    },
    { head: t.state, cell: ({ status }) => <DeliveryTag status={status} /> },
    { head: t.attempts, cell: ({ attempts }) => attempts },
    {
      head: t.result,
      cell: (delivery) => resultOf(delivery, t.failures),
    },
    {
      head: t.nextAttempt,
      cell: ({ next_attempt_at }) =>
        next_attempt_at && (isSoon(next_attempt_at) ? t.soon : <Moment at={next_attempt_at} />),
      short: true,
    },
    { head: t.at, cell: ({ created_at }) => <Moment at={created_at} />, short: true },
  ];
  return (
    <DataTable
      label={t.deliveries}
      items={items}
      keyOf={({ id }) => id}
      columns={columns}
      actions={mayRetry ? (delivery) => <RetryButton delivery={delivery} webhook={webhook} /> : undefined}
      waiting={waiting}
    />
  );
}

function RetryButton({ delivery: { id, type }, webhook }: { delivery: WebhookDelivery; webhook: string }) {
  const t = useText();
  const source = useWebhookSource();
  const retry = useAction(async () => {
    await source.retry(webhook, id);
    await reloadWebhooks(source);
    showToast(t.retried);
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        aria-label={`${t.retry}: ${type}`}
        loading={retry.busy}
        onClick={() => void retry.run()}
      >
        {t.retry}
      </Button>
      <ErrorNote error={retry.error} sentences={{ conflict: t.isDisabled, forbidden: t.forbidden }} />
    </>
  );
}
