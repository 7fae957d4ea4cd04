import { Loader, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from './text.ts';
import { isUuid } from './uuid.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Props {
  /** The cache key of the search. */
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  readonly chosen: Choice | undefined;
  readonly onChange: (value: string | undefined) => void;
  readonly search: (q: string) => Promise<readonly Choice[]>;
}

const DEBOUNCE_MS = 250;

/** Selects one of very many items, which the service searches. A pasted id can be chosen without a match. */
export function RemoteSelect({ name, label, placeholder, chosen, onChange, search }: Props) {
  const t = useText().select;
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed.trim() === chosen?.label ? '' : typed.trim(), DEBOUNCE_MS);
  const found = useQuery({
    queryKey: ['choices', name, asked],
    queryFn: () => search(asked),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const pasted = isUuid(asked) ? [{ value: asked.toLowerCase(), label: asked.toLowerCase() }] : [];
  const choices = [...(chosen ? [chosen] : []), ...pasted, ...(found.data ?? [])];
  const data = [...new Map(choices.map((choice) => [choice.value, choice])).values()];
  return (
    <Select
      label={label}
      placeholder={placeholder}
      data={data}
      value={chosen?.value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has already filtered the options.
      filter={({ options }) => options}
      nothingFoundMessage={found.isFetching ? t.searching : t.nothingFound}
      rightSection={found.isFetching ? <Loader size="xs" /> : undefined}
      clearable
      clearButtonProps={{ 'aria-label': t.clear }}
      maxDropdownHeight={280}
    />
  );
}
