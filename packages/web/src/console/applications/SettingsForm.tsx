import { type Application, LIMITS } from '@gatehouse/contract';
import { Button, Fieldset, Group, Stack, Switch, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { OrganizationSelect } from '../OrganizationSelect.tsx';
import { redirectFault, resourceFault } from './faults.ts';
import { reloadApplications } from './query.ts';
import { ScopeField } from './ScopeField.tsx';
import { useText } from './text.ts';
import { UrisField } from './UrisField.tsx';
import { linesOf } from './uris.ts';

interface Props {
  readonly application: Application;
  readonly mayChange: boolean;
}

const typedOf = (application: Application) => ({
  name: application.name,
  uris: application.redirect_uris.join('\n'),
  resources: application.resources.join('\n'),
  scopes: application.scopes,
  organization_id: application.organization_id,
  trusted: application.trusted,
});

export function SettingsForm({ application, mayChange }: Props) {
  const t = useText();
  const words = useWords();
  const [saved, setSaved] = useState(application);
  const [typed, setTyped] = useState(() => typedOf(application));
  const [checked, setChecked] = useState(false);
  const set = (change: Partial<typeof typed>) => setTyped({ ...typed, ...change });
  const faults = {
    uris: redirectFault(typed.uris, application.kind, t),
    resources: resourceFault(typed.resources, t),
  };
  const save = useAction(async () => {
    const { uris, resources, trusted, scopes, ...rest } = typed;
    const answer = await client.applications.change(application.id, {
      ...rest,
      scopes: [...scopes],
      redirect_uris: linesOf(uris),
      resources: linesOf(resources),
      ...(application.kind === 'web' && { trusted }),
    });
    setSaved(answer);
    setTyped(typedOf(answer));
    setChecked(false);
    await reloadApplications();
    showToast(t.saved(answer.name));
  });
  const isChanged = JSON.stringify(typed) !== JSON.stringify(typedOf(saved));
  useUnsaved(isChanged && !save.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (!faults.uris && !faults.resources) void save.run();
  };
  return (
    <Panel title={t.settings}>
      <form onSubmit={submit}>
        <Fieldset variant="unstyled" disabled={!mayChange} aria-label={t.settings}>
          <Stack>
            <TextInput
              label={t.name}
              description={t.nameHint}
              required
              maxLength={LIMITS.application.name}
              autoComplete="off"
              value={typed.name}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
            <UrisField
              label={t.redirectUris}
              description={
                application.kind === 'native' ? `${t.redirectUrisHint} ${t.redirectUrisNative}` : t.redirectUrisHint
              }
              required
              error={checked ? faults.uris : undefined}
              value={typed.uris}
              onChange={(uris) => set({ uris })}
            />
            <ScopeField value={typed.scopes} onChange={(scopes) => set({ scopes: [...scopes] })} />
            <UrisField
              label={t.resources}
              description={t.resourcesHint}
              error={checked ? faults.resources : undefined}
              value={typed.resources}
              onChange={(resources) => set({ resources })}
            />
            <OrganizationSelect
              label={t.organization}
              placeholder={t.organizationAny}
              value={typed.organization_id ?? undefined}
              onChange={(organization_id) => set({ organization_id: organization_id ?? null })}
            />
            {application.kind === 'web' && (
              <Switch
                label={t.trusted}
                description={t.trustedHint}
                checked={typed.trusted}
                onChange={(event) => set({ trusted: event.currentTarget.checked })}
              />
            )}
            <ErrorNote error={save.error} sentences={{ invalid_input: t.rejected, rate_limited: t.limited }} />
            {mayChange && (
              <Group>
                <Button type="submit" loading={save.busy}>
                  {words.save}
                </Button>
              </Group>
            )}
          </Stack>
        </Fieldset>
      </form>
    </Panel>
  );
}
