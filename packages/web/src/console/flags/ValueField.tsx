import { LIMITS } from '@gatehouse/contract';
import { Button, Group, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useText } from './text.ts';
import { bytesOf, readValue, writeValue } from './value.ts';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}

/** A JSON value as text. Errors are not shown on blur: the message would move the button under the pointer. */
export function ValueField({ value, onChange, error }: Props) {
  const t = useText();
  const [formatted, setFormatted] = useState(false);
  const reading = readValue(value, t);
  const format = () => {
    setFormatted(true);
    if (reading.fault === undefined) onChange(writeValue(reading.value));
  };
  return (
    <div>
      <Textarea
        label={t.json}
        description={t.jsonHelp}
        placeholder={'{\n  "percent": 25\n}'}
        autosize
        minRows={5}
        maxRows={16}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error ?? (formatted && reading.fault)}
      />
      <Group justify="space-between" mt="xs">
        <Text size="xs" c="dimmed">
          {reading.fault === undefined &&
            reading.value !== null &&
            t.size(bytesOf(reading.value), LIMITS.flagValue.bytes)}
        </Text>
        <Button variant="default" size="xs" onClick={format}>
          {t.format}
        </Button>
      </Group>
    </div>
  );
}
