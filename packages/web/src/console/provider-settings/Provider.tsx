import type { ProviderView } from '@gatehouse/contract';
import { Code, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Fact, Facts } from '../../app/Facts.tsx';
import { NotFound } from '../../app/NotFound.tsx';
import { PageHead } from '../../app/PageHead.tsx';
import { usePlatformRole } from '../../app/session.ts';
import { Panel } from '../../ui/Panel.tsx';
import { ReadOnly } from '../ReadOnly.tsx';
import { fieldsOf } from './faults.ts';
import { MissingKey } from './MissingKey.tsx';
import { PROVIDERS_QUERY } from './query.ts';
import { Registration } from './Registration.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { StatusPanel } from './StatusPanel.tsx';
import { TestPanel } from './TestPanel.tsx';
import { useText } from './text.ts';

export function Page() {
  const t = useText();
  const { provider } = useParams({ strict: false }) as { provider?: string };
  const mayChange = usePlatformRole('admin');
  const { data } = useSuspenseQuery(PROVIDERS_QUERY);
  const view = data.providers.find((each) => each.provider === provider);
  if (!view) return <NotFound />;
  return (
    <>
      <PageHead title={view.name} above={{ to: '/console/providers', label: t.all }} />
      <Stack>
        {!mayChange && <ReadOnly />}
        {!data.secrets_enabled && <MissingKey />}
        <StatusPanel view={view} />
        <Registration view={view} />
        {mayChange ? (
          // Resets the form for another provider.
          <SettingsForm key={view.provider} view={view} canSeal={data.secrets_enabled} />
        ) : (
          <SavedSettings view={view} />
        )}
        {mayChange && <TestPanel key={`test ${view.provider}`} provider={view.provider} />}
      </Stack>
    </>
  );
}

/** For viewers, who may not change the settings. */
function SavedSettings({ view }: { view: ProviderView }) {
  const t = useText();
  return (
    <Panel title={t.settings}>
      <Facts>
        {fieldsOf(view).map((name) => (
          <Fact key={name} name={t.fields[name].label}>
            {view.public_config[name] ? <Code>{view.public_config[name]}</Code> : t.none}
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}
