import { WebhookPage } from '../../webhooks/WebhookPage.tsx';
import { PlatformWebhooks } from './PlatformWebhooks.tsx';

export const Page = () => (
  <PlatformWebhooks>
    <WebhookPage />
  </PlatformWebhooks>
);
