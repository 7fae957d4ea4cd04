import type { Organization } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { DangerPanel } from '../../app/DangerPanel.tsx';
import { queries } from '../../app/query.ts';
import { useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../users/text.ts';

/** Suspends or restores an organization. The organization of the current session cannot be suspended. */
export function SuspendPanel({ organization: { id, name, suspended } }: { organization: Organization }) {
  const text = useText();
  const t = text.organizations;
  const isOwn = useSession().user.organization_id === id;
  const change = async () => {
    await client.organizations.change(id, { suspended: !suspended });
    await queries.invalidateQueries({ queryKey: ['organizations'] });
  };
  if (suspended) {
    return (
      <DangerPanel
        title={t.restoreTitle}
        lead={t.restoreLead}
        ask={t.restoreAsk(name)}
        question={t.restoreQuestion}
        verb={t.restore}
        danger={false}
        sentences={{ forbidden: text.user.rankChanged }}
        work={change}
      />
    );
  }
  if (isOwn) {
    return (
      <Panel title={t.suspendTitle} lead={t.suspendLead}>
        <Text>{t.suspendOwn}</Text>
      </Panel>
    );
  }
  return (
    <DangerPanel
      title={t.suspendTitle}
      lead={t.suspendLead}
      ask={t.suspendAsk(name)}
      verb={t.suspend}
      sentences={{ conflict: t.suspendClash, forbidden: text.user.rankChanged }}
      work={change}
    />
  );
}
