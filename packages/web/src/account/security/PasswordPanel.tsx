import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useMe } from '../../app/session.ts';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Dialog } from '../Dialog.tsx';
import { Done } from '../Done.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { useText } from './text.ts';

export function PasswordPanel() {
  const t = useText().password;
  const { has_password, last_password_change_at, created_at } = useMe();
  const [opened, { open, close }] = useDisclosure();
  const [isSaved, setIsSaved] = useState(false);
  const begin = () => {
    setIsSaved(false);
    open();
  };
  const finish = () => {
    setIsSaved(true);
    close();
  };
  return (
    <Panel title={t.title}>
      <Group justify="space-between">
        <Text size="sm">
          {has_password ? (
            <>
              {t.changed} <Moment at={last_password_change_at ?? created_at} />
            </>
          ) : (
            t.none
          )}
        </Text>
        <Button variant="default" size="xs" onClick={begin}>
          {has_password ? t.change : t.set}
        </Button>
      </Group>
      <Done>{isSaved && t.saved}</Done>
      <Dialog opened={opened} onClose={close} title={has_password ? t.changeTitle : t.setTitle}>
        <PasswordForm onClose={close} onSaved={finish} />
      </Dialog>
    </Panel>
  );
}
