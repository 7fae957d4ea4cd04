import type { Organization } from '@gatehouse/contract';
import { Text } from '@mantine/core';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
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
  const change = (next: boolean) => async () => {
    await client.organizations.change(id, { suspended: next });
    await queries.invalidateQueries({ queryKey: ['organizations'] });
  };
  if (suspended)
    return (
      <Panel title={t.restoreTitle} lead={t.restoreLead}>
        <div>
          <ConfirmButton
            size="sm"
            title={t.restoreAsk(name)}
            question={t.restoreQuestion}
            verb={t.restore}
            danger={false}
            sentences={{ forbidden: text.user.rankChanged }}
            work={change(false)}
          >
            {t.restore}
          </ConfirmButton>
        </div>
      </Panel>
    );
  return (
    <Panel title={t.suspendTitle} lead={t.suspendLead}>
      {isOwn ? (
        <Text>{t.suspendOwn}</Text>
      ) : (
        <div>
          <ConfirmButton
            size="sm"
            color="red"
            variant="outline"
            title={t.suspendAsk(name)}
            question={t.suspendLead}
            verb={t.suspend}
            sentences={{ conflict: t.suspendClash, forbidden: text.user.rankChanged }}
            work={change(true)}
          >
            {t.suspend}
          </ConfirmButton>
        </div>
      )}
    </Panel>
  );
}
