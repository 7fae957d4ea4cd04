import { Textarea } from '@mantine/core';

interface Props {
  readonly label: string;
  readonly description: string;
  readonly required?: boolean;
  readonly error: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export const UrisField = ({ onChange, ...rest }: Props) => (
  <Textarea
    {...rest}
    autosize
    minRows={2}
    maxRows={8}
    autoComplete="off"
    autoCapitalize="none"
    spellCheck={false}
    styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
