import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useWords } from '../ui/words.ts';
import { useText } from './text.ts';
import { hasUnsaved } from './unsaved.ts';

/** Asks before a navigation within the app discards unsaved changes. Before a reload, the browser itself asks. */
export function UnsavedGuard() {
  const blocker = useBlocker({
    // A change of only the search parameters, such as the filters of a list, keeps the form, so it is not blocked.
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
      // The question is above the dialog with the form.
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
