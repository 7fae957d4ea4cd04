import { TextInput, type TextInputProps } from '@mantine/core';
import { useText } from './text.ts';

export const PasskeyNameField = (props: TextInputProps) => (
  <TextInput label={useText().passkeys.name} required maxLength={120} data-autofocus {...props} />
);
