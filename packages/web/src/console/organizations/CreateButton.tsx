import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Icon } from '../../ui/Icon.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from '../people-text.ts';
import { CreateForm } from './CreateForm.tsx';

export function CreateButton() {
  const words = useWords();
  const t = useText().organizations;
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button leftSection={<Icon name="add" />} onClick={open}>
        {t.create}
      </Button>
      <Modal opened={opened} onClose={close} title={t.create} closeButtonProps={{ 'aria-label': words.close }}>
        <CreateForm onCancel={close} />
      </Modal>
    </>
  );
}
