import type { ReactNode } from 'react';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useClosedText } from '../../webhooks/closed-text.ts';
import { type WebhookSource, WebhookSourceContext } from '../../webhooks/source.ts';

const SOURCE: WebhookSource = {
  key: ['platform-webhooks'],
  path: '/console/webhooks',
  isPlatform: true,
  without: [],
  ...client.platformWebhooks,
};

/** Provides the platform's own webhooks to the pages inside. Only platform admins may list them. */
export function PlatformWebhooks({ children }: { children: ReactNode }) {
  const t = useClosedText();
  if (!usePlatformRole('admin')) {
    return (
      <>
        <PageHead title={t.title} />
        <Panel>
          <Empty icon="bolt" title={t.platform} />
        </Panel>
      </>
    );
  }
  return <WebhookSourceContext value={SOURCE}>{children}</WebhookSourceContext>;
}
