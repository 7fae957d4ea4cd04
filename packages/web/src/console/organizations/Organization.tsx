import { Button, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { CopyableId } from '../../app/CopyableId.tsx';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Missing, nullWhenMissing } from '../../app/Missing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { filteredBy } from '../../app/search.ts';
import { usePlatformRole } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../users/text.ts';
import { PolicyPanel } from './PolicyPanel.tsx';
import { RenameForm } from './RenameForm.tsx';
import { StateTag } from './StateTag.tsx';
import { SuspendPanel } from './SuspendPanel.tsx';
import { TeamPanel } from './TeamPanel.tsx';

export function Page() {
  const text = useText();
  const t = text.organizations;
  const mayChange = usePlatformRole('admin');
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: organization } = useSuspenseQuery({
    queryKey: ['organizations', id],
    queryFn: () => client.organizations.read(id).catch(nullWhenMissing),
  });
  if (!organization)
    return (
      <Missing icon="building" title={t.missingTitle} hint={t.missing} to="/console/organizations" label={t.toList} />
    );
  return (
    <>
      <PageHead
        above={{ to: '/console/organizations', label: t.title }}
        title={organization.name}
        actions={
          <Button
            variant="default"
            component={Link}
            to="/console/flags"
            search={filteredBy({ organization_id: organization.id })}
          >
            {text.flags}
          </Button>
        }
      />
      <Stack key={organization.id}>
        <Panel title={t.about}>
          <Facts>
            <Fact name={text.status}>
              <StateTag organization={organization} />
            </Fact>
            <Fact name={t.slug}>{organization.slug}</Fact>
            <Fact name={text.created} at={organization.created_at} />
            <Fact name={text.id}>
              <CopyableId id={organization.id} />
            </Fact>
          </Facts>
          {mayChange && <RenameForm organization={organization} />}
        </Panel>
        <TeamPanel organization={organization} />
        <PolicyPanel organization={organization} />
        {mayChange && <SuspendPanel key={String(organization.suspended)} organization={organization} />}
      </Stack>
    </>
  );
}
