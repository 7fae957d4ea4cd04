import { type FormEvent, useState } from 'react';
import { PasswordStrength } from '../../ui/PasswordStrength.tsx';
import { useWords } from '../../ui/words.ts';
import type { FieldProps } from '../parts/Field.tsx';
import { PasswordField } from '../parts/PasswordField.tsx';
import { PASSWORD } from './checks.ts';

type Props = Omit<FieldProps, 'label'> & { readonly label?: string };

/** A new password, with its strength. It can be shown, so it need not be typed twice. */
export function NewPasswordField(props: Props) {
  const words = useWords();
  const [typed, setTyped] = useState({ password: '', related: [] as readonly string[] });
  const read = ({ currentTarget: { value, form } }: FormEvent<HTMLInputElement>) => {
    const others = [...(form?.querySelectorAll<HTMLInputElement>('input[name]:not([data-kind="password"])') ?? [])];
    setTyped({ password: value, related: others.map((field) => field.value) });
  };
  return (
    <PasswordField
      name="password"
      autoComplete="new-password"
      required
      description={words.passwordLength(PASSWORD.min, PASSWORD.max)}
      onInput={read}
      below={<PasswordStrength {...typed} />}
      {...props}
    />
  );
}
