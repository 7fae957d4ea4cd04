import { WebhookListPage } from '../../webhooks/WebhookListPage.tsx';
import { PlatformWebhooks } from './PlatformWebhooks.tsx';

export const Page = () => (
  <PlatformWebhooks>
    <WebhookListPage />
  </PlatformWebhooks>
);
