import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './CodeField.module.css';

/** Six digits. Where they are asked for there is nothing else to do, so the field has the focus. */
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
