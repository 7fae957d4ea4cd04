import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { useMe } from '../../app/session.ts';
import { Moment } from '../../ui/Moment.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Done } from '../Done.tsx';
import { PasswordForm } from './PasswordForm.tsx';
import { useText } from './text.ts';

export function PasswordPanel() {
  const t = useText().password;
  const { has_password, last_password_change_at, created_at } = useMe();
  const [isSaved, setIsSaved] = useState(false);
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
        <DialogButton
          size="xs"
          verb={has_password ? t.change : t.set}
          title={has_password ? t.changeTitle : t.setTitle}
          onOpen={() => setIsSaved(false)}
        >
          <PasswordForm onSaved={() => setIsSaved(true)} />
        </DialogButton>
      </Group>
      <Done>{isSaved && t.saved}</Done>
    </Panel>
  );
}
