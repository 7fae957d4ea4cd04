import { useText } from '../../webhooks/text.ts';
import { WebhookListPage } from '../../webhooks/WebhookListPage.tsx';
import { PlatformWebhooks } from './PlatformWebhooks.tsx';

export function Page() {
  const t = useText();
  return (
    <PlatformWebhooks>
      <WebhookListPage lead={t.platformLead} />
    </PlatformWebhooks>
  );
}
