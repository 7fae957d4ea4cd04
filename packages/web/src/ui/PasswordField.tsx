import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useWords } from './words.ts';

/** A password, with a labelled switch to see it, by keyboard too. */
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
