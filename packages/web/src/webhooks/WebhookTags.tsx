import type { LastDelivery, Webhook, WebhookDelivery } from '@gatehouse/contract';
import { Group } from '@mantine/core';
import { Tag } from '../app/Tag.tsx';
import { Moment } from '../ui/Moment.tsx';
import { useText } from './text.ts';

const TONES = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;

export function StateTag({ webhook: { enabled, disabled_reason } }: { webhook: Webhook }) {
  const t = useText();
  if (enabled) return <Tag tone="good">{t.enabled}</Tag>;
  return <Tag tone={disabled_reason ? 'bad' : 'plain'}>{t.disabledBy[disabled_reason ?? 'user']}</Tag>;
}

export const EventTags = ({ events }: { events: readonly string[] }) => (
  <Group gap={6}>
    {events.map((pattern) => (
      <Tag key={pattern}>{pattern}</Tag>
    ))}
  </Group>
);

export const DeliveryTag = ({ status }: { status: WebhookDelivery['status'] }) => (
  <Tag tone={TONES[status]}>{useText().statuses[status]}</Tag>
);

export function LastDeliveryCell({ delivery }: { delivery: LastDelivery | null }) {
  const t = useText();
  if (!delivery) return t.noDelivery;
  return (
    <Group gap={6}>
      <DeliveryTag status={delivery.status} />
      <Moment at={delivery.at} />
    </Group>
  );
}
