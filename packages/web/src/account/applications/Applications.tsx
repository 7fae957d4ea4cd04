import type { ConnectedApplication } from '@gatehouse/contract';
import { List } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { queries } from '../../app/query.ts';
import { describeScope } from '../../applications/scopes.ts';
import { useScopeText } from '../../applications/text.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { Done } from '../Done.tsx';
import { FactAt, Facts } from '../Facts.tsx';
import { Item } from '../Item.tsx';
import { Items } from '../Items.tsx';
import { useText } from './text.ts';

const APPLICATIONS = { queryKey: ['connected-applications'], queryFn: () => client.connectedApplications.list() };

/** The applications that the user has given access, or that an administrator trusts for all users. */
export function Page() {
  const t = useText();
  const { items } = useSuspenseQuery(APPLICATIONS).data;
  const [done, setDone] = useState<string>();
  return (
    <>
      <PageHead title={t.title} lead={t.lead} />
      <Panel title={t.panel}>
        {items.length === 0 ? (
          <Empty icon="app" title={t.empty}>
            {t.emptyHint}
          </Empty>
        ) : (
          <Items label={t.list}>
            {items.map((application) => (
              <ApplicationItem
                key={application.id}
                application={application}
                onRevoked={() => setDone(t.revoked(application.name))}
              />
            ))}
          </Items>
        )}
        <Done>{done}</Done>
      </Panel>
    </>
  );
}

interface Props {
  readonly application: ConnectedApplication;
  readonly onRevoked: () => void;
}

function ApplicationItem({ application: { id, name, scopes, granted_at, last_used_at }, onRevoked }: Props) {
  const t = useText();
  const words = useScopeText();
  const revoke = async () => {
    await client.connectedApplications.remove(id);
    await queries.invalidateQueries({ queryKey: APPLICATIONS.queryKey });
    onRevoked();
  };
  return (
    <Item
      icon="app"
      title={name}
      actions={
        <ConfirmButton
          label={t.revokeLabel(name)}
          title={t.revokeTitle(name)}
          question={t.revokeQuestion(name)}
          verb={t.revoke}
          work={revoke}
        />
      }
    >
      <List size="sm" my={4}>
        {scopes.map((scope) => (
          <List.Item key={scope}>{describeScope(scope, words)}</List.Item>
        ))}
      </List>
      <Facts>
        <FactAt name={t.granted} at={granted_at} />
        <FactAt name={t.lastUsed} at={last_used_at} />
      </Facts>
    </Item>
  );
}
