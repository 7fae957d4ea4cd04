import { PROVIDER_INFO, type ProviderView } from '@gatehouse/contract';
import { Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Notice } from '../../app/Notice.tsx';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { type Faults, faultsIn, faultsOf, fieldsOf } from './faults.ts';
import { guideOf } from './guide.ts';
import { showProvider } from './query.ts';
import { SecretField } from './SecretField.tsx';
import { useText } from './text.ts';

interface Props {
  readonly view: ProviderView;
  /** Whether the service can store secrets. */
  readonly canSeal: boolean;
}

export function SettingsForm({ view, canSeal }: Props) {
  const t = useText();
  const words = useWords();
  const form = useRef<HTMLFormElement>(null);
  const [given, setGiven] = useState<Readonly<Record<string, string>>>(view.public_config);
  // A new provider is enabled by default.
  const [enabled, setEnabled] = useState(view.enabled || view.updated_at === null);
  const [secret, setSecret] = useState('');
  const [faults, setFaults] = useState<Faults>({});
  const [saved, setSaved] = useState<ProviderView>();

  const save = useAction(async () => {
    const filled = Object.entries(given).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : []));
    const change = {
      enabled,
      public_config: Object.fromEntries(filled),
      ...(secret.trim() && { secret: secret.trim() }),
    };
    const wrong = faultsIn(change, view, t);
    setFaults(wrong);
    if (Object.keys(wrong).length > 0) return;
    const answer = await client.providers.save(view.provider, change);
    setSecret('');
    setGiven(answer.public_config);
    setSaved(answer);
    showProvider(answer);
  });
  const isChanged =
    secret !== '' || JSON.stringify(given) !== JSON.stringify(saved?.public_config ?? view.public_config);
  useUnsaved(isChanged && !save.busy);
  const refused = faultsOf(save.error, view, t);
  const wrong = { ...refused, ...faults };
  const isMarked = Object.keys(wrong).length > 0;
  useEffect(() => {
    if (isMarked && !save.busy) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [isMarked, save.busy]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Ignores submit events that bubble up from the dialog of the secret.
    if (event.target !== event.currentTarget) return;
    setSaved(undefined);
    void save.run();
  };
  const change = (name: string, value: string) => {
    setGiven({ ...given, [name]: value });
    setFaults({ ...faults, [name]: undefined });
  };
  return (
    <Panel title={t.settings} lead={t.settingsLead}>
      <form ref={form} onSubmit={submit} noValidate>
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
              value={given[name] ?? ''}
              onChange={(event) => change(name, event.currentTarget.value)}
              error={wrong[name]}
            />
          ))}
          <SecretField
            view={view}
            canSeal={canSeal}
            value={secret}
            onChange={(value) => {
              setSecret(value);
              setFaults({ ...faults, secret: undefined });
            }}
            error={wrong.secret}
          />
          <Switch
            label={t.enabled}
            description={view.provider === 'email_transport' ? t.enabledMailHelp : t.enabledHelp}
            checked={enabled}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
          {Object.keys(refused).length === 0 && (
            <ErrorNote error={save.error} sentences={{ rate_limited: t.tooOften }} />
          )}
          <Group>
            <Button type="submit" loading={save.busy}>
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
