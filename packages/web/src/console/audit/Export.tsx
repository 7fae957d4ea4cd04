import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Icon } from '../../ui/Icon.tsx';
import { useWords } from '../../ui/words.ts';
import { ExportForm } from './ExportForm.tsx';
import { useText } from './text.ts';

/** For platform admins: the trail as a signed file. */
export function Export() {
  const t = useText().export;
  const words = useWords();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<Icon name="download" />} onClick={open}>
        {t.open}
      </Button>
      <Modal opened={opened} onClose={close} title={t.title} size="lg" closeButtonProps={{ 'aria-label': words.close }}>
        <ExportForm />
      </Modal>
    </>
  );
}
