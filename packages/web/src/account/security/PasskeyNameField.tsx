import { TextInput } from '@mantine/core';
import { useText } from './text.ts';

interface Props {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

export const PasskeyNameField = ({ value, onChange }: Props) => (
  <TextInput
    label={useText().passkeys.name}
    required
    maxLength={120}
    data-autofocus
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);
