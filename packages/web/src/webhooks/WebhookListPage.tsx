import type { Webhook } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useText as useAuditText } from '../activity/text.ts';
import type { Column } from '../app/DataTable.tsx';
import { Dimmed } from '../app/Dimmed.tsx';
import { ListPage } from '../app/ListPage.tsx';
import { useWebhookSource } from './source.ts';
import { useText } from './text.ts';
import { CreateWebhook } from './WebhookEditor.tsx';
import { EventTags, LastDeliveryCell, StateTag } from './WebhookTags.tsx';

export function WebhookListPage() {
  const t = useText();
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useAuditText();
  const source = useWebhookSource();
  const { data } = useSuspenseQuery({ queryKey: [...source.key, 'list'], queryFn: () => source.list() });
  const columns: Column<Webhook>[] = [
    {
      head: t.url,
      cell: ({ id, url, description }) => (
        <div>
          <Anchor component={Link} to={`${source.path}/${id}`} size="sm" fw={550}>
            {url}
          </Anchor>
          {description && <Dimmed>{description}</Dimmed>}
        </div>
      ),
    },
    { head: t.events, cell: ({ events }) => <EventTags events={events} /> },
    { head: t.state, cell: (webhook) => <StateTag webhook={webhook} /> },
    { head: t.lastDelivery, cell: ({ last_delivery }) => <LastDeliveryCell delivery={last_delivery} /> },
  ];
  return (
    <ListPage
      title={t.title}
      lead={source.isPlatform ? t.platformLead : t.lead}
      actions={<CreateWebhook />}
      data={data}
      icon="bolt"
      empty={t.empty}
      emptyHint={t.emptyHint}
      keyOf={({ id }) => id}
      columns={columns}
    />
  );
}
