import { supportsPasskeys } from '@gatehouse/client';
import { Button, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../../app/Empty.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { PASSKEYS, SIGN_IN_OPTIONS } from '../../app/step-up/sign-in-methods.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Done } from '../Done.tsx';
import { Hint } from '../Hint.tsx';
import { Items } from '../Items.tsx';
import { AddPasskeyForm } from './AddPasskeyForm.tsx';
import { PasskeyItem } from './PasskeyItem.tsx';
import { useText } from './text.ts';

export function PasskeysPanel() {
  const t = useText().passkeys;
  const { items } = useSuspenseQuery(PASSKEYS).data;
  const { passkey: isPossible } = useSuspenseQuery(SIGN_IN_OPTIONS).data;
  const [opened, { open, close }] = useDisclosure();
  const [added, setAdded] = useState<string>();
  const obstacle = !isPossible ? t.noHost : supportsPasskeys() ? undefined : t.noBrowser;
  const finish = (name: string) => {
    setAdded(name);
    close();
  };
  const addButton = !obstacle && (
    <Button size="xs" leftSection={<Icon name="add" size={16} />} onClick={open}>
      {t.add}
    </Button>
  );
  return (
    <Panel title={t.title} lead={t.lead}>
      {items.length === 0 ? (
        <Empty icon="passkey" title={t.none}>
          <Stack align="center" gap="sm">
            {t.noneHint}
            {addButton}
          </Stack>
        </Empty>
      ) : (
        <Items label={t.list}>
          {items.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} />
          ))}
        </Items>
      )}
      <Done>{added && t.added(added)}</Done>
      {obstacle && <Hint>{obstacle}</Hint>}
      {items.length > 0 && <Group>{addButton}</Group>}
      <FormDialog opened={opened} onClose={close} title={t.addTitle}>
        <AddPasskeyForm onAdded={finish} />
      </FormDialog>
    </Panel>
  );
}
