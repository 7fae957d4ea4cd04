import { Modal, type ModalProps } from '@mantine/core';
import { useCallback, useRef, useState } from 'react';
import { useWords } from '../ui/words.ts';
import { DiscardDialog } from './UnsavedGuard.tsx';
import { DialogContext } from './unsaved.ts';

/** A dialog with a form by `useForm`. Closing it by Escape, background or × asks before changes are lost. */
export function FormDialog({ onClose, children, ...rest }: ModalProps) {
  const words = useWords();
  // A ref, not state: Escape right after a character is typed must see the change, before the next render.
  const isChanged = useRef(false);
  const report = useCallback((value: boolean) => {
    isChanged.current = value;
  }, []);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Modal
        centered
        closeButtonProps={{ 'aria-label': words.close }}
        closeOnEscape={!asking}
        // Asks in a later task: otherwise the same Escape would also close the question.
        onClose={() => (isChanged.current ? setTimeout(() => setAsking(true)) : onClose())}
        {...rest}
      >
        <DialogContext value={{ close: onClose, report }}>{children}</DialogContext>
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
