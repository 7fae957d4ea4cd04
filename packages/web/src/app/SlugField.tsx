import { TextInput, type TextInputProps } from '@mantine/core';
import { useText } from './text.ts';

interface Props extends TextInputProps {
  /** Whether the field may be empty; the service then derives the slug from the name. */
  readonly optional?: boolean;
}

export function SlugField({ optional = false, ...rest }: Props) {
  const t = useText().slug;
  return (
    <TextInput
      label={optional ? `${t.label} (${t.optional})` : t.label}
      description={optional ? t.derived : t.hint}
      required={!optional}
      maxLength={63}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      {...rest}
    />
  );
}
