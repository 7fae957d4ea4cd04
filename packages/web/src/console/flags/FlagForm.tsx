import { type FeatureFlag, LIMITS } from '@gatehouse/contract';
import { Radio, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DialogForm } from '../../app/DialogForm.tsx';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { useWords } from '../../ui/words.ts';
import { flagsQuery, reloadFlags, type Scope } from './query.ts';
import { useText } from './text.ts';
import { ValueField } from './ValueField.tsx';
import { readValue, writeValue } from './value.ts';

interface Props {
  /** Undefined: a new flag, whose key is typed. */
  readonly flagKey?: string;
  /** The initial content of the form. */
  readonly begin?: FeatureFlag | undefined;
  /** The possible scopes. If there are several, the user selects one. */
  readonly scopes: readonly Scope[];
}

/** The rule of the service: the key must be usable in a path. */
const isKey = (key: string): boolean =>
  /^[\x21-\x7e]+$/.test(key) && key.length <= LIMITS.flagKey && !/^\.\.?$/.test(key);

export function FlagForm({ flagKey, begin, scopes }: Props) {
  const t = useText();
  const words = useWords();
  const close = useCloseDialog();
  const rows = useQuery(flagsQuery(scopes.at(-1)!.organization_id ?? undefined)).data ?? [];
  const keyFault = (key: string, organization_id: string | null) => {
    if (flagKey !== undefined) return undefined;
    if (!isKey(key)) return t.keyWrong;
    return rows.some((row) => row.flag_key === key && row.organization_id === organization_id) ? t.keyTaken : undefined;
  };
  const form = useForm({
    values: {
      key: flagKey ?? '',
      organization_id: scopes[0]!.organization_id,
      enabled: begin?.enabled ?? true,
      json: writeValue(begin?.value ?? null),
    },
    check: ({ key, organization_id, json }) => ({
      key: keyFault(key, organization_id),
      json: readValue(json, t).fault,
    }),
    send: async ({ key, organization_id, enabled, json }) => {
      const reading = readValue(json, t);
      if (reading.fault !== undefined) return;
      await client.flags.save({ flag_key: key, organization_id, enabled, value: reading.value });
      await reloadFlags();
      close();
    },
  });
  return (
    <DialogForm form={form} verb={words.save} sentences={{ invalid_input: t.organizationGone }} noValidate>
      {flagKey === undefined && (
        <TextInput
          data-autofocus
          label={t.key}
          description={t.keyHelp}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.field('key')}
        />
      )}
      {scopes.length > 1 && (
        <Radio.Group
          label={t.scope}
          value={form.values.organization_id ?? ''}
          onChange={(next) => form.set({ organization_id: next === '' ? null : next })}
        >
          <Stack gap="xs" mt="xs">
            {scopes.map((scope) => (
              <Radio
                key={scope.organization_id}
                value={scope.organization_id ?? ''}
                label={scope.organization_id === null ? t.scopeAll : scope.name}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <Switch data-autofocus={flagKey !== undefined || undefined} label={t.switchedOn} {...form.toggle('enabled')} />
      <ValueField {...form.field('json')} />
    </DialogForm>
  );
}
