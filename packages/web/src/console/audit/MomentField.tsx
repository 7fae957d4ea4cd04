import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { fromField, toField } from './filters.ts';

interface Props {
  readonly label: string;
  /** As the service takes it. */
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  /** Of the minute that is typed, its first moment or its last. */
  readonly end: 'first' | 'last';
}

/** It is typed digit by digit, and most of what is in between is nobody's wish. */
const DEBOUNCE_MS = 400;

export function MomentField({ label, value, onChange, end }: Props) {
  const [typed, setTyped] = useState(toField(value));
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    // Not by this field: by going back, or by clearing all.
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
