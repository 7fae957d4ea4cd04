import { Modal } from '@mantine/core';
import { useWords } from '../../ui/words.ts';
import { FlagForm, type FlagFormProps } from './FlagForm.tsx';
import { useText } from './text.ts';

/** A dialog to create or change a flag. Its form is reset each time it opens. */
export function FlagEditor({ opened, ...form }: FlagFormProps & { readonly opened: boolean }) {
  const t = useText();
  const words = useWords();
  return (
    <Modal
      opened={opened}
      onClose={form.onClose}
      title={form.flagKey === undefined ? t.create : t.editTitle(form.flagKey)}
      size="lg"
      closeButtonProps={{ 'aria-label': words.close }}
    >
      <FlagForm {...form} />
    </Modal>
  );
}
