import { WebhookPage } from '../../webhooks/WebhookPage.tsx';
import { OrganizationWebhooks } from './OrganizationWebhooks.tsx';

export const Page = () => (
  <OrganizationWebhooks>
    <WebhookPage />
  </OrganizationWebhooks>
);
