import { useText } from '../../webhooks/text.ts';
import { WebhookListPage } from '../../webhooks/WebhookListPage.tsx';
import { OrganizationWebhooks } from './OrganizationWebhooks.tsx';

export function Page() {
  const t = useText();
  return (
    <OrganizationWebhooks>
      <WebhookListPage lead={t.lead} />
    </OrganizationWebhooks>
  );
}
