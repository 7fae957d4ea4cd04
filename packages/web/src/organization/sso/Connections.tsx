import type { SsoConnection } from '@gatehouse/contract';
import { Anchor } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CreateDialog } from '../../app/CreateDialog.tsx';
import type { Column } from '../../app/DataTable.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { ListPage } from '../../app/ListPage.tsx';
import { Notice } from '../../app/Notice.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { domainsQuery } from '../domains/query.ts';
import { NotAllowed } from '../NotAllowed.tsx';
import { StateTag, TestTag } from './ConnectionTags.tsx';
import { CreateForm } from './CreateForm.tsx';
import { connectionsQuery, LIST } from './query.ts';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  if (!usePermission('sso.manage')) return <NotAllowed icon="enter" title={t.title} reason={t.notYours} />;
  return <Connections />;
}

function Connections() {
  const t = useText();
  const { organization_id } = useSession().user;
  const { data } = useSuspenseQuery(connectionsQuery(organization_id));
  const domains = useSuspenseQuery(domainsQuery(organization_id)).data.items;
  const columns: Column<SsoConnection>[] = [
    {
      head: t.name,
      cell: ({ id, name, issuer }) => (
        <div>
          <Anchor component={Link} to={`${LIST}/${id}`} size="sm" fw={550}>
            {name}
          </Anchor>
          <Dimmed>{issuer}</Dimmed>
        </div>
      ),
    },
    { head: t.domains, cell: ({ domains: its }) => its.join(', ') },
    { head: t.status, cell: (connection) => <StateTag {...connection} />, short: true },
    { head: t.lastTest, cell: (connection) => <TestTag {...connection} /> },
  ];
  const domainFirst = (
    <Notice icon="globe" title={t.domainFirst.title}>
      {t.domainFirst.lead}{' '}
      <Anchor component={Link} to="/organization/domains" size="sm" underline="always">
        {t.domainFirst.link}
      </Anchor>
    </Notice>
  );
  return (
    <ListPage
      title={t.title}
      lead={t.lead}
      actions={
        <CreateDialog verb={t.create} tall>
          <CreateForm />
        </CreateDialog>
      }
      notes={!domains.some(({ status }) => status === 'verified') && domainFirst}
      data={data}
      icon="enter"
      empty={t.empty}
      emptyHint={t.emptyHint}
      keyOf={({ id }) => id}
      columns={columns}
    />
  );
}
