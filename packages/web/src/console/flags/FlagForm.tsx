import { type FeatureFlag, LIMITS } from '@gatehouse/contract';
import { Radio, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { flagsQuery, reloadFlags, type Scope } from './query.ts';
import { useText } from './text.ts';
import { ValueField } from './ValueField.tsx';
import { readValue, writeValue } from './value.ts';

export interface FlagFormProps {
  /** Undefined: a new flag, whose key is typed. */
  readonly flagKey?: string;
  /** The initial content of the form. */
  readonly begin?: FeatureFlag | undefined;
  /** The possible scopes. If there are several, the user selects one. */
  readonly scopes: readonly Scope[];
  readonly onClose: () => void;
}

/** The rule of the service: the key must be usable in a path. */
const isKey = (key: string): boolean =>
  /^[\x21-\x7e]+$/.test(key) && key.length <= LIMITS.flagKey && !/^\.\.?$/.test(key);

export function FlagForm({ flagKey, begin, scopes, onClose }: FlagFormProps) {
  const t = useText();
  const words = useWords();
  const [key, setKey] = useState(flagKey ?? '');
  const [organization_id, setOrganization] = useState(scopes[0]!.organization_id);
  const [enabled, setEnabled] = useState(begin?.enabled ?? true);
  const [json, setJson] = useState(writeValue(begin?.value ?? null));
  // Errors are shown after the first attempt to save, not while typing.
  const [tried, setTried] = useState(false);
  const rows = useQuery(flagsQuery(scopes.at(-1)!.organization_id ?? undefined)).data ?? [];

  const isTaken = rows.some((row) => row.flag_key === key && row.organization_id === organization_id);
  const keyFault = flagKey !== undefined ? undefined : !isKey(key) ? t.keyWrong : isTaken ? t.keyTaken : undefined;
  const reading = readValue(json, t);
  const save = useAction(async () => {
    if (keyFault || reading.fault !== undefined) return;
    await client.flags.save({ flag_key: key, organization_id, enabled, value: reading.value });
    await reloadFlags();
    onClose();
  });
  const isChanged =
    key !== (flagKey ?? '') || enabled !== (begin?.enabled ?? true) || json !== writeValue(begin?.value ?? null);
  useUnsaved(isChanged && !save.busy);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (keyFault) event.currentTarget.querySelector('input')?.focus();
    else if (reading.fault) event.currentTarget.querySelector('textarea')?.focus();
    void save.run();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {flagKey === undefined && (
          <TextInput
            data-autofocus
            label={t.key}
            description={t.keyHelp}
            required
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={tried && keyFault}
          />
        )}
        {scopes.length > 1 && (
          <Radio.Group
            label={t.scope}
            value={organization_id ?? ''}
            onChange={(next) => setOrganization(next === '' ? null : next)}
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
        <Switch
          data-autofocus={flagKey !== undefined || undefined}
          label={t.switchedOn}
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <ValueField value={json} onChange={setJson} reading={reading} showsFault={tried} />
        <ErrorNote error={save.error} sentences={{ invalid_input: t.organizationGone }} />
        <FormButtons verb={words.save} busy={save.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
