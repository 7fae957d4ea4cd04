import { Textarea, type TextareaProps } from '@mantine/core';

export const UrisField = (props: TextareaProps) => (
  <Textarea
    autosize
    minRows={2}
    maxRows={8}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    {...props}
  />
);
