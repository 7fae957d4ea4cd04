import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { useWords } from '../ui/words.ts';
import { useFilters } from './search.ts';

interface Props extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  readonly label: string;
}

/** As long as any list takes. */
const MAX_LENGTH = 120;

/** What is searched for, in the address as `q`; asked for when the typing pauses. */
export function SearchField({ label, placeholder, ...rest }: Props) {
  const t = useWords();
  const [{ q = '' }, setFilters] = useFilters();
  const [typed, setTyped] = useState(q);
  const asked = useRef(q);
  const search = useDebouncedCallback((next: string) => {
    asked.current = next.trim();
    setFilters({ q: asked.current, page: undefined }, { replace: true });
  }, 300);
  // Somebody went back, or followed a link: the field says what is searched for now. What was typed since is not undone.
  useEffect(() => {
    if (q === asked.current) return;
    asked.current = q;
    setTyped(q);
  }, [q]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder ?? t.search}
      maxLength={MAX_LENGTH}
      leftSection={<Icon name="search" size={16} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
      {...rest}
    />
  );
}
