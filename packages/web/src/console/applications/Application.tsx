import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { CopyableId } from '../../app/CopyableId.tsx';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Missing } from '../../app/Missing.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { useScopeText } from '../../applications/text.ts';
import { Panel } from '../../ui/Panel.tsx';
import { ReadOnly } from '../ReadOnly.tsx';
import { ConnectPanel } from './ConnectPanel.tsx';
import { EndPanels } from './EndPanels.tsx';
import { applicationQuery } from './query.ts';
import { SecretsPanel } from './SecretsPanel.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { StateTag } from './StateTag.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  // Loads this text with the page: a component that suspends for it later would replace the page by the fallback.
  useScopeText();
  const mayChange = usePlatformRole('admin');
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: application } = useSuspenseQuery(applicationQuery(id));
  if (!application)
    return <Missing icon="app" title={t.missingTitle} hint={t.missing} to="/console/applications" label={t.toList} />;
  return (
    <>
      <PageHead above={{ to: '/console/applications', label: t.title }} title={application.name} />
      <Stack key={application.id}>
        {!mayChange && <ReadOnly />}
        <Panel title={t.about}>
          <Facts>
            <Fact name={t.status}>
              <StateTag application={application} />
            </Fact>
            <Fact name={t.kind}>{t.kinds[application.kind].name}</Fact>
            <Fact name={t.created} at={application.created_at} />
            <Fact name={t.client_id}>
              <CopyableId id={application.client_id} />
            </Fact>
          </Facts>
        </Panel>
        <ConnectPanel />
        {application.kind === 'web' && <SecretsPanel application={application} mayChange={mayChange} />}
        <SettingsForm application={application} mayChange={mayChange} />
        {mayChange && <EndPanels key={String(application.enabled)} application={application} />}
      </Stack>
    </>
  );
}
