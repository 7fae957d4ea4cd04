import { Modal, type ModalProps } from '@mantine/core';
import { useWords } from '../ui/words.ts';

/** A matter of its own above the page. What was typed is gone when it closes. */
export function Dialog(props: ModalProps) {
  const words = useWords();
  return <Modal centered closeButtonProps={{ 'aria-label': words.close }} {...props} />;
}
