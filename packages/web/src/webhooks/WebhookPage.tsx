import { Group, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useText as useAuditText } from '../activity/text.ts';
import { CopyableId } from '../app/CopyableId.tsx';
import { Fact, Facts } from '../app/Facts.tsx';
import { Missing, nullWhenMissing } from '../app/Missing.tsx';
import { PageHead } from '../app/PageHead.tsx';
import { Panel } from '../ui/Panel.tsx';
import { DeliveryLog } from './DeliveryLog.tsx';
import { useWebhookSource } from './source.ts';
import { useText } from './text.ts';
import { DeleteButton, EnableButton, RotateButton, TestButton } from './WebhookActions.tsx';
import { EditWebhook } from './WebhookEditor.tsx';
import { EventTags, StateTag } from './WebhookTags.tsx';

export function WebhookPage() {
  const t = useText();
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useAuditText();
  const source = useWebhookSource();
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: webhook } = useSuspenseQuery({
    queryKey: [...source.key, 'one', id],
    queryFn: () => source.read(id).catch(nullWhenMissing),
  });
  if (!webhook) {
    return <Missing icon="bolt" title={t.missingTitle} hint={t.missing} to={source.path} label={t.toList} />;
  }
  return (
    <>
      <PageHead
        above={{ to: source.path, label: t.title }}
        title={new URL(webhook.url).host}
        lead={webhook.description}
        actions={
          <>
            <TestButton webhook={webhook} />
            <EditWebhook webhook={webhook} />
          </>
        }
      />
      <Stack key={webhook.id}>
        <Panel title={t.about}>
          <Facts>
            <Fact name={t.url}>{webhook.url}</Fact>
            <Fact name={t.events}>
              <EventTags events={webhook.events} />
            </Fact>
            <Fact name={t.state}>
              <StateTag webhook={webhook} />
            </Fact>
            <Fact name={t.created} at={webhook.created_at} />
            <Fact name={t.id}>
              <CopyableId id={webhook.id} />
            </Fact>
          </Facts>
          <Group gap="xs">
            <EnableButton webhook={webhook} />
            <RotateButton webhook={webhook} />
            <DeleteButton webhook={webhook} />
          </Group>
        </Panel>
        <DeliveryLog webhook={webhook} />
      </Stack>
    </>
  );
}
