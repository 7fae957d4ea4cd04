import { type ReactNode, useMemo } from 'react';
import { usePermission, useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { useClosedText } from '../../webhooks/closed-text.ts';
import { type WebhookSource, WebhookSourceContext } from '../../webhooks/source.ts';
import { NotAllowed } from '../NotAllowed.tsx';
import { useText as useOrganizationText } from '../text.ts';

/** First words of actions that only the platform's own webhooks receive. */
const ONLY_PLATFORM = ['permission', 'platform_role', 'feature_flag', 'integration', 'audit', 'abuse', 'signing_key'];

/** Provides the organization's webhooks to the pages inside. Tells members without permission who may open them. */
export function OrganizationWebhooks({ children }: { children: ReactNode }) {
  const t = useClosedText();
  useOrganizationText();
  const { organization_id } = useSession().user;
  const mayManage = usePermission('webhooks.manage');
  const mayRead = usePermission('audit.read');
  const source: WebhookSource = useMemo(() => {
    const calls = client.webhooks;
    return {
      key: ['webhooks', organization_id],
      path: '/organization/webhooks',
      isPlatform: false,
      without: ONLY_PLATFORM,
      list: () => calls.list(organization_id),
      read: (id) => calls.read(organization_id, id),
      create: (body) => calls.create(organization_id, body),
      change: (id, body) => calls.change(organization_id, id, body),
      remove: (id) => calls.remove(organization_id, id),
      rotateSecret: (id) => calls.rotateSecret(organization_id, id),
      test: (id) => calls.test(organization_id, id),
      deliveries: (id, query) => calls.deliveries(organization_id, id, query),
      retry: (id, delivery_id) => calls.retry(organization_id, id, delivery_id),
    };
  }, [organization_id]);
  if (!mayManage || !mayRead) return <NotAllowed icon="bolt" title={t.title} reason={t.organization} />;
  return <WebhookSourceContext value={source}>{children}</WebhookSourceContext>;
}
