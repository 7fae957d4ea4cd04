import { TextInput, type TextInputProps } from '@mantine/core';
import { useWords } from '../../ui/words.ts';

/** Not `type="email"`: browsers rewrite a domain such as `müller.example` there, and its account would not be found. */
export function EmailField(props: TextInputProps) {
  const words = useWords();
  return (
    <TextInput
      label={words.email}
      name="email"
      inputMode="email"
      autoComplete="username"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      required
      {...props}
    />
  );
}
