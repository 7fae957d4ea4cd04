import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { FormDialog } from '../app/FormDialog.tsx';
import { Icon } from '../ui/Icon.tsx';
import { RoleForm, type RoleFormProps } from './RoleForm.tsx';
import { useText } from './text.ts';

export function RoleEditor({ role, ...form }: Omit<RoleFormProps, 'onClose'>) {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      {role ? (
        <Button variant="default" size="xs" aria-label={`${t.edit}: ${role.name}`} onClick={open}>
          {t.edit}
        </Button>
      ) : (
        <Button leftSection={<Icon name="add" />} onClick={open}>
          {t.create}
        </Button>
      )}
      <FormDialog
        opened={opened}
        onClose={close}
        title={role ? t.editTitle(role.name) : t.create}
        size="lg"
        centered={false}
      >
        <RoleForm role={role} {...form} onClose={close} />
      </FormDialog>
    </>
  );
}
