import { type Application, LIMITS } from '@gatehouse/contract';
import { Button, Fieldset, Group, Stack, Switch, TextInput } from '@mantine/core';
import { showToast } from '../../app/toast-store.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Panel } from '../../ui/Panel.tsx';
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

export function SettingsForm({ application, mayChange }: Props) {
  const t = useText();
  const words = useWords();
  const { id, kind, name, scopes, organization_id, trusted } = application;
  const form = useForm({
    values: {
      name,
      uris: application.redirect_uris.join('\n'),
      resources: application.resources.join('\n'),
      scopes: scopes as readonly string[],
      organization_id,
      trusted,
    },
    check: ({ uris, resources }) => ({ uris: redirectFault(uris, kind, t), resources: resourceFault(resources, t) }),
    send: async ({ uris, resources, ...values }, reset) => {
      const saved = await client.applications.change(id, {
        name: values.name,
        organization_id: values.organization_id,
        scopes: [...values.scopes],
        redirect_uris: linesOf(uris),
        resources: linesOf(resources),
        ...(kind === 'web' && { trusted: values.trusted }),
      });
      await reloadApplications();
      reset();
      showToast(t.saved(saved.name));
    },
  });
  return (
    <Panel title={t.settings}>
      <form {...form.props}>
        <Fieldset variant="unstyled" disabled={!mayChange} aria-label={t.settings}>
          <Stack>
            <TextInput
              label={t.name}
              description={t.nameHint}
              required
              maxLength={LIMITS.application.name}
              autoComplete="off"
              {...form.field('name')}
            />
            <UrisField
              label={t.redirectUris}
              description={kind === 'native' ? `${t.redirectUrisHint} ${t.redirectUrisNative}` : t.redirectUrisHint}
              required
              {...form.field('uris')}
            />
            <ScopeField {...form.field('scopes')} />
            <UrisField label={t.resources} description={t.resourcesHint} {...form.field('resources')} />
            <OrganizationSelect
              label={t.organization}
              placeholder={t.organizationAny}
              value={form.values.organization_id ?? undefined}
              onChange={(chosen) => form.set({ organization_id: chosen ?? null })}
            />
            {kind === 'web' && <Switch label={t.trusted} description={t.trustedHint} {...form.toggle('trusted')} />}
            <ErrorNote error={form.error} sentences={{ invalid_input: t.rejected, rate_limited: t.limited }} />
            {mayChange && (
              <Group>
                <Button type="submit" loading={form.busy}>
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
