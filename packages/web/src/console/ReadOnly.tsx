import { Text } from '@mantine/core';
import { useConsoleText } from './text.ts';

export function ReadOnly() {
  const t = useConsoleText();
  return (
    <Text size="sm" c="dimmed">
      {t.readOnly}
    </Text>
  );
}
