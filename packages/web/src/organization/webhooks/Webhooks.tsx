import { WebhookListPage } from '../../webhooks/WebhookListPage.tsx';
import { OrganizationWebhooks } from './OrganizationWebhooks.tsx';

export const Page = () => (
  <OrganizationWebhooks>
    <WebhookListPage />
  </OrganizationWebhooks>
);
