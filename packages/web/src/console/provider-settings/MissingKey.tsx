import { Code, Group, Stack, Text } from '@mantine/core';
import { Notice } from '../../app/Notice.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { useText } from './text.ts';

const COMMAND = 'openssl rand -base64 32';

export function MissingKey() {
  const t = useText();
  return (
    <Notice icon="key" title={t.noKeyTitle}>
      <Stack gap="xs">
        <Text size="sm">{t.noKey}</Text>
        <Group gap="sm">
          <Text size="sm">{t.noKeyCommand}</Text>
          <Code>{COMMAND}</Code>
          <CopyButton value={COMMAND} />
        </Group>
      </Stack>
    </Notice>
  );
}
