import { PROVIDER_INFO, type ProviderField, type ProviderView } from '@gatehouse/contract';
import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../app/Notice.tsx';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useWords } from '../../ui/words.ts';
import { faultsIn, fieldsOf, refusalsOf } from './faults.ts';
import { guideOf } from './guide.ts';
import { showProvider } from './query.ts';
import { SecretField } from './SecretField.tsx';
import { useText } from './text.ts';

interface Props {
  readonly view: ProviderView;
  /** Whether the service can store secrets. */
  readonly canSeal: boolean;
}

type Values = { readonly [name in ProviderField]?: string } & { readonly enabled: boolean; readonly secret: string };

const changeOf = ({ enabled, secret, ...fields }: Values) => ({
  enabled,
  public_config: Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : [])),
  ),
  ...(secret.trim() && { secret: secret.trim() }),
});

export function SettingsForm({ view, canSeal }: Props) {
  const t = useText();
  const words = useWords();
  const [saved, setSaved] = useState<ProviderView>();
  const values: Values = {
    ...view.public_config,
    // A new provider is enabled by default.
    enabled: view.enabled || view.updated_at === null,
    secret: '',
  };
  const form = useForm({
    values,
    check: (given) => faultsIn(changeOf(given), view, t),
    refusals: refusalsOf(view, t),
    send: async (given, reset) => {
      setSaved(undefined);
      const answer = await client.providers.save(view.provider, changeOf(given));
      showProvider(answer);
      reset();
      setSaved(answer);
    },
  });
  return (
    <Panel title={t.settings} lead={t.settingsLead}>
      <form {...form.props} noValidate>
        <Stack>
          {view.source === 'environment' && !view.degraded && <Notice>{t.overEnvironment}</Notice>}
          {fieldsOf(view).map((name) => (
            <TextInput
              key={name}
              label={t.fields[name].label}
              description={guideOf(view, t).fields[name]}
              required={PROVIDER_INFO[view.provider].required.includes(name)}
              autoComplete="off"
              spellCheck={false}
              inputMode={name === 'from' ? 'email' : 'text'}
              {...form.field(name)}
              value={form.values[name] ?? ''}
            />
          ))}
          <SecretField view={view} canSeal={canSeal} {...form.field('secret')} />
          <Switch
            label={t.enabled}
            description={view.provider === 'email_transport' ? t.enabledMailHelp : t.enabledHelp}
            {...form.toggle('enabled')}
          />
          <ErrorNote error={form.error} sentences={{ rate_limited: t.tooOften }} />
          <Group>
            <Button type="submit" loading={form.busy}>
              {words.save}
            </Button>
            <Text role="status" size="sm">
              {saved && (saved.degraded ? t.savedDegraded : saved.enabled ? t.savedFine : t.savedOff)}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
