import { Fieldset, MultiSelect, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { CheckList } from '../../app/CheckList.tsx';
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
  return (
    <Fieldset legend={t.scopes}>
      <Stack gap="sm">
        <CheckList
          items={STANDARD_SCOPES.map((scope) => ({ value: scope, description: words.scopes[scope] }))}
          value={value}
          onChange={onChange}
        />
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
