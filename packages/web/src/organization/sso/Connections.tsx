import type { SsoConnection } from '@gatehouse/contract';
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../../app/DataTable.tsx';
import { Empty } from '../../app/Empty.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { Notice } from '../../app/Notice.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Panel } from '../../ui/Panel.tsx';
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
  const { items } = useSuspenseQuery(connectionsQuery(organization_id)).data;
  const domains = useSuspenseQuery(domainsQuery(organization_id)).data.items;
  const columns: Column<SsoConnection>[] = [
    {
      head: t.name,
      cell: ({ id, name, issuer }) => (
        <div>
          <Anchor component={Link} to={`${LIST}/${id}`} size="sm" fw={550}>
            {name}
          </Anchor>
          <Text size="sm" c="dimmed">
            {issuer}
          </Text>
        </div>
      ),
    },
    { head: t.domains, cell: ({ domains: its }) => its.join(', ') },
    { head: t.status, cell: (connection) => <StateTag {...connection} />, short: true },
    { head: t.lastTest, cell: (connection) => <TestTag {...connection} /> },
  ];
  return (
    <>
      <PageHead title={t.title} lead={t.lead} actions={<CreateButton />} />
      <Stack>
        {!domains.some(({ status }) => status === 'verified') && (
          <Notice icon="globe" title={t.domainFirst.title}>
            {t.domainFirst.lead}{' '}
            <Anchor component={Link} to="/organization/domains" size="sm" underline="always">
              {t.domainFirst.link}
            </Anchor>
          </Notice>
        )}
        <Panel>
          {items.length === 0 ? (
            <Empty icon="enter" title={t.empty}>
              {t.emptyHint}
            </Empty>
          ) : (
            <DataTable label={t.title} items={items} keyOf={({ id }) => id} columns={columns} />
          )}
        </Panel>
      </Stack>
    </>
  );
}

function CreateButton() {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<Icon name="add" />} onClick={open}>
        {t.create}
      </Button>
      <FormDialog opened={opened} onClose={close} title={t.create} centered={false}>
        <CreateForm onClose={close} />
      </FormDialog>
    </>
  );
}
