import { isGatehouseError } from '@gatehouse/client';
import type { Policy, PolicyChange, PolicyMethod } from '@gatehouse/contract';
import { Button, Checkbox, Group, NativeSelect, Radio, Stack, Switch, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { queries } from '../../app/query.ts';
import { showToast } from '../../app/toast-store.ts';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useText } from '../text.ts';
import { Affected } from './Affected.tsx';
import { ageChoices } from './age.ts';
import { SsoSwitch } from './SsoSwitch.tsx';

const METHODS: readonly PolicyMethod[] = ['password', 'passkey', 'email_otp', 'oauth', 'sso'];

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

interface Props {
  readonly organization_id: string;
  readonly policy: Policy;
}

export function PolicyForm({ organization_id, policy }: Props) {
  const t = useText().policy;
  const words = useWords();
  const [next, setNext] = useState(policy);
  const [networks, setNetworks] = useState(policy.allowed_networks.join('\n'));
  const typed: PolicyChange = { ...next, allowed_networks: linesOf(networks) };
  const isChanged = JSON.stringify(typed) !== JSON.stringify(policy);
  const save = useAction(async () => {
    await client.organization.setPolicy(organization_id, typed);
    showToast(t.saved);
    await queries.invalidateQueries({ queryKey: ['policy'] });
  });
  useUnsaved(isChanged && !save.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save.run();
  };
  const methods = next.allowed_methods;
  const toggle = (method: PolicyMethod, isOn: boolean) =>
    setNext({
      ...next,
      allowed_methods: (methods ?? []).filter((other) => other !== method).concat(isOn ? method : []),
    });
  const isMissing = methods?.length === 0;
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <Switch
          label={t.mfa}
          description={t.mfaHint}
          checked={next.require_mfa}
          onChange={(event) => setNext({ ...next, require_mfa: event.currentTarget.checked })}
        />
        <Radio.Group
          label={t.methods}
          description={t.methodsHint}
          value={methods === null ? 'any' : 'only'}
          onChange={(value) => setNext({ ...next, allowed_methods: value === 'any' ? null : [...METHODS] })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="any" label={t.anyMethod} />
            <Radio value="only" label={t.onlyMethods} />
            {methods !== null &&
              METHODS.map((method) => (
                <Checkbox
                  key={method}
                  ml="lg"
                  label={t.methodNames[method]}
                  checked={methods.includes(method)}
                  onChange={(event) => toggle(method, event.currentTarget.checked)}
                />
              ))}
          </Stack>
        </Radio.Group>
        <SsoSwitch
          organization_id={organization_id}
          checked={next.sso_required}
          onChange={(sso_required) => setNext({ ...next, sso_required })}
        />
        <NativeSelect
          label={t.age}
          description={t.ageHint}
          data={ageChoices(policy.session_max_age_seconds, t.ages)}
          value={String(next.session_max_age_seconds ?? '')}
          onChange={({ currentTarget: { value } }) =>
            setNext({ ...next, session_max_age_seconds: value === '' ? null : Number(value) })
          }
        />
        <Textarea
          label={t.networks}
          description={t.networksHint}
          autosize
          minRows={3}
          spellCheck={false}
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
        />
        <Affected organization_id={organization_id} policy={typed} isShown={isChanged && !isMissing} />
        <ErrorNote error={save.error} sentences={{ conflict: t.ssoConflict, ...sentencesFor(save.error, t.own) }} />
        <Group>
          <Button type="submit" loading={save.busy} disabled={!isChanged || isMissing}>
            {words.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns the message for the rule that would lock the user out, which the service names in the error. */
const sentencesFor = (error: unknown, own: Readonly<Record<string, string>>) => {
  const rule = isGatehouseError(error) ? error.fields.find((field) => own[field] !== undefined) : undefined;
  return rule === undefined ? {} : { invalid_input: own[rule]! };
};
