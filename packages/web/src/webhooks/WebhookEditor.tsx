import type { Webhook } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { FormDialog } from '../app/FormDialog.tsx';
import { Icon } from '../ui/Icon.tsx';
import { SecretDialog } from './SecretDialog.tsx';
import { useText } from './text.ts';
import { WebhookForm } from './WebhookForm.tsx';

export function WebhookEditor({ webhook }: { webhook?: Webhook }) {
  const t = useText();
  const [opened, { open, close }] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {webhook ? (
        <Button variant="default" onClick={open}>
          {t.edit}
        </Button>
      ) : (
        <Button leftSection={<Icon name="add" />} onClick={open}>
          {t.create}
        </Button>
      )}
      <FormDialog opened={opened} onClose={close} title={webhook ? t.editTitle : t.create} size="lg" centered={false}>
        <WebhookForm webhook={webhook} onClose={close} onCreated={setSecret} />
      </FormDialog>
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}
