import { Modal, type ModalProps } from '@mantine/core';
import { useState } from 'react';
import { useWords } from '../ui/words.ts';
import { DiscardDialog } from './UnsavedGuard.tsx';
import { DialogUnsavedContext } from './unsaved.ts';

/**
 * A dialog with a form that calls `useUnsaved`: closing it by Escape, the background or × asks before changes are lost.
 */
export function FormDialog({ onClose, children, ...rest }: ModalProps) {
  const words = useWords();
  const [isChanged, setChanged] = useState(false);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Modal
        centered
        closeButtonProps={{ 'aria-label': words.close }}
        closeOnEscape={!asking}
        // Asks in a later task: otherwise the same Escape would also close the question.
        onClose={() => (isChanged ? setTimeout(() => setAsking(true)) : onClose())}
        {...rest}
      >
        <DialogUnsavedContext value={setChanged}>{children}</DialogUnsavedContext>
      </Modal>
      <DiscardDialog
        opened={asking}
        onKeep={() => setAsking(false)}
        onDiscard={() => {
          setAsking(false);
          onClose();
        }}
      />
    </>
  );
}
