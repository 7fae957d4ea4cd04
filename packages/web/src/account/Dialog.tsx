import { Modal, type ModalProps } from '@mantine/core';
import { useWords } from '../ui/words.ts';

/** A modal dialog. Its content is unmounted when it closes, so typed values are lost. */
export function Dialog(props: ModalProps) {
  const words = useWords();
  return <Modal centered closeButtonProps={{ 'aria-label': words.close }} {...props} />;
}
