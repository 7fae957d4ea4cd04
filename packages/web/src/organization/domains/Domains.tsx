import { Button, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CreateDialog } from '../../app/CreateDialog.tsx';
import { Empty } from '../../app/Empty.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { Panel } from '../../ui/Panel.tsx';
import { NotAllowed } from '../NotAllowed.tsx';
import { AddForm } from './AddForm.tsx';
import { DomainPanel } from './DomainPanel.tsx';
import { domainsQuery } from './query.ts';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  if (!usePermission('sso.manage')) return <NotAllowed icon="globe" title={t.title} reason={t.notYours} />;
  return <Domains />;
}

function Domains() {
  const t = useText();
  const { organization_id } = useSession().user;
  const { items } = useSuspenseQuery(domainsQuery(organization_id)).data;
  return (
    <>
      <PageHead
        title={t.title}
        lead={t.lead}
        actions={
          <CreateDialog verb={t.add.open}>
            <AddForm />
          </CreateDialog>
        }
      />
      <Stack>
        {items.length === 0 && (
          <Panel>
            <Empty icon="globe" title={t.empty}>
              {t.emptyHint}
            </Empty>
          </Panel>
        )}
        {items.map((domain) => (
          <DomainPanel key={domain.id} domain={domain} />
        ))}
        {items.some(({ status }) => status === 'verified') && (
          <div>
            <Button variant="default" component={Link} to="/organization/sso">
              {t.next}
            </Button>
          </div>
        )}
      </Stack>
    </>
  );
}
