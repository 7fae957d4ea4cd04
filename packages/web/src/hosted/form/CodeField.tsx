import { type FormEvent, useEffect, useRef } from 'react';
import { Field, type FieldProps } from '../parts/Field.tsx';
import { digitsOf } from './checks.ts';

/** Six digits. Gets the focus, because it is the only task of its page; the sixth digit submits the form. */
export function CodeField(props: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef('');
  useEffect(() => field.current?.focus(), []);
  const sendWhole = ({ currentTarget: { value, form } }: FormEvent<HTMLInputElement>) => {
    const digits = digitsOf(value);
    const isWhole = /^\d{6}$/.test(digits);
    if (isWhole && digits !== sent.current) form?.requestSubmit();
    sent.current = isWhole ? digits : '';
  };
  return (
    <Field
      ref={field}
      kind="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      required
      onInput={sendWhole}
      {...props}
    />
  );
}
