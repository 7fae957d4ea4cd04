import { isGatehouseError } from '@gatehouse/client';
import type { Policy, PolicyChange, PolicyMethod } from '@gatehouse/contract';
import { Button, Checkbox, Group, NativeSelect, Radio, Stack, Switch, Textarea } from '@mantine/core';
import { queries } from '../../app/query.ts';
import { showToast } from '../../app/toast-store.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from '../text.ts';
import { Affected } from './Affected.tsx';
import { ageChoices } from './age.ts';
import { SsoSwitch } from './SsoSwitch.tsx';

const METHODS: readonly PolicyMethod[] = ['password', 'passkey', 'email_otp', 'oauth', 'sso'];

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

/** The networks as typed, one a line. */
type Values = Policy & { readonly networks: string };

interface Props {
  readonly organization_id: string;
  readonly policy: Policy;
}

export function PolicyForm({ organization_id, policy }: Props) {
  const t = useText().policy;
  const words = useWords();
  const changeOf = ({ networks, ...rules }: Values): PolicyChange => ({
    ...rules,
    allowed_networks: linesOf(networks),
  });
  const form = useForm({
    values: { ...policy, networks: policy.allowed_networks.join('\n') } as Values,
    send: async (values) => {
      await client.organization.setPolicy(organization_id, changeOf(values));
      showToast(t.saved);
      await queries.invalidateQueries({ queryKey: ['policy'] });
    },
  });
  const next = changeOf(form.values);
  const isChanged = JSON.stringify(next) !== JSON.stringify(policy);
  const { value: methods, onChange: setMethods } = form.field('allowed_methods');
  const isMissing = methods?.length === 0;
  return (
    <form {...form.props}>
      <Stack gap="lg">
        <Switch label={t.mfa} description={t.mfaHint} {...form.toggle('require_mfa')} />
        <Radio.Group
          label={t.methods}
          description={t.methodsHint}
          value={methods === null ? 'any' : 'only'}
          onChange={(value) => setMethods(value === 'any' ? null : [...METHODS])}
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
                  onChange={(event) =>
                    setMethods(
                      methods.filter((other) => other !== method).concat(event.currentTarget.checked ? method : []),
                    )
                  }
                />
              ))}
          </Stack>
        </Radio.Group>
        <SsoSwitch organization_id={organization_id} {...form.toggle('sso_required')} />
        <NativeSelect
          label={t.age}
          description={t.ageHint}
          data={ageChoices(policy.session_max_age_seconds, t.ages)}
          value={String(form.values.session_max_age_seconds ?? '')}
          onChange={({ currentTarget: { value } }) =>
            form.set({ session_max_age_seconds: value === '' ? null : Number(value) })
          }
        />
        <Textarea
          label={t.networks}
          description={t.networksHint}
          autosize
          minRows={3}
          spellCheck={false}
          {...form.field('networks')}
        />
        <Affected organization_id={organization_id} policy={next} isShown={isChanged && !isMissing} />
        <ErrorNote error={form.error} sentences={{ conflict: t.ssoConflict, ...sentencesFor(form.error, t.own) }} />
        <Group>
          <Button type="submit" loading={form.busy} disabled={!isChanged || isMissing}>
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
