import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useWords } from '../ui/words.ts';
import { useText } from './text.ts';
import { hasUnsaved } from './unsaved.ts';

/** Asks before another page of the app replaces a form with changes. Browsers ask before a reload. */
export function UnsavedGuard() {
  const blocker = useBlocker({
    // Filters and pages of a list are in the search parameters, which leave forms as they are.
    shouldBlockFn: ({ current, next }) => hasUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  });
  return (
    <DiscardDialog
      opened={blocker.status === 'blocked'}
      onKeep={() => blocker.reset?.()}
      onDiscard={() => blocker.proceed?.()}
    />
  );
}

interface Props {
  readonly opened: boolean;
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

export function DiscardDialog({ opened, onKeep, onDiscard }: Props) {
  const t = useText().unsaved;
  const words = useWords();
  return (
    <Modal
      opened={opened}
      onClose={onKeep}
      title={t.title}
      centered
      // Above the dialog with the form.
      zIndex={250}
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <Stack>
        <Text>{t.question}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onKeep} data-autofocus>
            {t.keep}
          </Button>
          <Button color="red" onClick={onDiscard}>
            {t.discard}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
