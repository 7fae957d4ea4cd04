import { useSuspenseQuery } from '@tanstack/react-query';
import { CopyableId } from '../../app/CopyableId.tsx';
import { Fact, Facts } from '../../app/Facts.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePermission, useSession } from '../../app/session.ts';
import { client } from '../../ui/client.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useText } from '../text.ts';
import { SettingsForm } from './SettingsForm.tsx';

export function Page() {
  const t = useText().settings;
  const { organization_id } = useSession().user;
  const mayChange = usePermission('org.update');
  const { data: organization } = useSuspenseQuery({
    queryKey: ['organization', organization_id],
    queryFn: () => client.organization.read(organization_id),
  });
  return (
    <>
      <PageHead title={t.title} lead={mayChange ? t.lead : t.readOnly} />
      <Panel title={t.about}>
        {mayChange && <SettingsForm organization={organization} />}
        <Facts>
          {!mayChange && <Fact name={t.name}>{organization.name}</Fact>}
          {!mayChange && <Fact name={t.slug}>{organization.slug}</Fact>}
          <Fact name={t.members}>{organization.member_count}</Fact>
          <Fact name={t.created} at={organization.created_at} />
          <Fact name={t.id}>
            <CopyableId id={organization.id} />
          </Fact>
        </Facts>
      </Panel>
    </>
  );
}
