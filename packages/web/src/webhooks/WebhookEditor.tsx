import type { Webhook } from '@gatehouse/contract';
import { useState } from 'react';
import { CreateDialog, DialogButton } from '../app/CreateDialog.tsx';
import { SecretDialog } from './SecretDialog.tsx';
import { useText } from './text.ts';
import { WebhookForm } from './WebhookForm.tsx';

export function CreateWebhook() {
  const t = useText();
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <CreateDialog verb={t.create} wide tall>
        <WebhookForm onCreated={setSecret} />
      </CreateDialog>
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

export function EditWebhook({ webhook }: { webhook: Webhook }) {
  const t = useText();
  return (
    <DialogButton verb={t.edit} title={t.editTitle} wide tall>
      <WebhookForm webhook={webhook} />
    </DialogButton>
  );
}
