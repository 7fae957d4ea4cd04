import { useMemo } from 'react';
import { AuditLog } from '../../activity/AuditLog.tsx';
import { type AuditSource, AuditSourceContext } from '../../activity/source.ts';
import { useText as useAuditText } from '../../activity/text.ts';
import { PageHead } from '../../app/PageHead.tsx';
import { useHome, usePermission, useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { NotAllowed } from '../NotAllowed.tsx';
import { useText } from '../text.ts';
import { MemberName, MemberSelect } from './members.tsx';

export function Page() {
  const t = useText().activity;
  const audit = useAuditText();
  const { organization_id } = useSession().user;
  const home = useHome();
  const mayRead = usePermission('audit.read');
  const source: AuditSource = useMemo(
    () => ({
      key: ['activity', organization_id],
      list: (query) => client.organization.auditLogs(organization_id, query),
      UserField: MemberSelect,
      UserName: MemberName,
      hasConsole: false,
      // The service does not name platform administrators to organizations.
      anonymous: ({ request_id }) => (request_id === null ? t.platform : audit.nobody),
    }),
    [organization_id, t, audit],
  );
  if (!mayRead) return <NotAllowed icon="audit" title={t.title} reason={t.notYours} />;
  return (
    <AuditSourceContext value={source}>
      <PageHead title={t.title} lead={home && t.lead(home.organization_name)} />
      <AuditLog />
    </AuditSourceContext>
  );
}
