import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useWords } from './words.ts';

/** A password field with a labelled button to show the password, also by keyboard. */
export function PasswordField(props: PasswordInputProps) {
  const t = useWords();
  return (
    <PasswordInput
      label={t.password}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t.showPassword }}
      {...props}
    />
  );
}
