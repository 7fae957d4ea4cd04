import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { useWords } from '../ui/words.ts';
import { useFilters } from './search.ts';

interface Props extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  readonly label: string;
}

/** The smallest maximum length of `q` among the list endpoints. */
const MAX_LENGTH = 120;

export function SearchField({ label, placeholder, ...rest }: Props) {
  const t = useWords();
  const [{ q = '' }, setFilters] = useFilters();
  const [typed, setTyped] = useState(q);
  const asked = useRef(q);
  const search = useDebouncedCallback((next: string) => {
    asked.current = next.trim();
    setFilters({ q: asked.current, page: undefined }, { replace: true });
  }, 300);
  // Follows the URL after a navigation; does not overwrite what was typed since the last search.
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
