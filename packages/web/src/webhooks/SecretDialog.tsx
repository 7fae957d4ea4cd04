import { Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyButton } from '../ui/CopyButton.tsx';
import { useText } from './text.ts';

interface Props {
  /** Undefined: nothing is shown. */
  readonly secret: string | undefined;
  readonly onClose: () => void;
}

/** Shows a secret, which is available only once. It closes only by its button, so that it is not lost by accident. */
export function SecretDialog({ secret, onClose }: Props) {
  const t = useText().secret;
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={t.title}
      centered
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text size="sm">{t.lead}</Text>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Group justify="space-between">
          <CopyButton value={secret ?? ''} label={t.copy} data-autofocus />
          <Button onClick={onClose}>{t.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
