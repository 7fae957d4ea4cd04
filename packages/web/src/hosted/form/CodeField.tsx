import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './CodeField.module.css';

/** A field for six digits. It gets the focus, because it is the only task of its page. */
export function CodeField(props: TextInputProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <TextInput
      ref={field}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      classNames={{ input: classes.code }}
      {...props}
    />
  );
}
