import type { PasswordInputProps } from '@mantine/core';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useWords } from '../../ui/words.ts';
import { PASSWORD } from './checks.ts';

/** A new password. It can be shown, so it need not be typed twice. */
export function NewPasswordField(props: PasswordInputProps) {
  const words = useWords();
  return (
    <PasswordField
      name="password"
      autoComplete="new-password"
      required
      description={words.passwordLength(PASSWORD.min, PASSWORD.max)}
      {...props}
    />
  );
}
