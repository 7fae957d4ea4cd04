import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { fromField, toField } from './filters.ts';

interface Props {
  readonly label: string;
  /** In the format of the API: ISO 8601 in UTC. */
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  /** Whether the value is the first or the last moment of the typed minute. */
  readonly end: 'first' | 'last';
}

/** Avoids requests for values that are only typed in part. */
const DEBOUNCE_MS = 400;

export function MomentField({ label, value, onChange, end }: Props) {
  const [typed, setTyped] = useState(toField(value));
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    // The value was changed elsewhere: by navigation or by clearing the filters.
    if (value !== fromField(typed, end)) setTyped(toField(value));
  }
  const commit = useDebouncedCallback((next: string) => onChange(fromField(next, end)), DEBOUNCE_MS);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        commit(event.currentTarget.value);
      }}
    />
  );
}
