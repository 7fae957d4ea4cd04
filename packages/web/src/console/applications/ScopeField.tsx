import { Checkbox, Fieldset, MultiSelect, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { isStandardScope, STANDARD_SCOPES } from '../../applications/scopes.ts';
import { useScopeText } from '../../applications/text.ts';
import { PERMISSIONS_QUERY } from '../permissions/query.ts';
import { useText } from './text.ts';

interface Props {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

export function ScopeField({ value, onChange }: Props) {
  const t = useText();
  const words = useScopeText();
  const declared = useSuspenseQuery(PERMISSIONS_QUERY).data.items.map(({ name }) => name);
  const permissions = value.filter((scope) => !isStandardScope(scope));
  const choices = [...new Set([...declared, ...permissions])];
  const toggle = (scope: string) => (event: { currentTarget: HTMLInputElement }) =>
    onChange(event.currentTarget.checked ? [...value, scope] : value.filter((other) => other !== scope));
  return (
    <Fieldset legend={t.scopes}>
      <Stack gap="sm">
        {STANDARD_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            label={scope}
            description={words.scopes[scope]}
            checked={value.includes(scope)}
            onChange={toggle(scope)}
          />
        ))}
        {choices.length > 0 && (
          <MultiSelect
            label={t.permissions}
            description={t.permissionsHint}
            data={choices}
            value={permissions}
            onChange={(chosen) => onChange([...value.filter(isStandardScope), ...chosen])}
            searchable
          />
        )}
      </Stack>
    </Fieldset>
  );
}
