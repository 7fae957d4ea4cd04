import type { Webhook } from '@gatehouse/contract';
import { Button, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmButton } from '../app/ConfirmButton.tsx';
import { showToast } from '../app/toast-store.ts';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { useAction } from '../ui/use-action.ts';
import { SecretDialog } from './SecretDialog.tsx';
import { reloadWebhooks, useWebhookSource } from './source.ts';
import { useText } from './text.ts';

interface Props {
  readonly webhook: Webhook;
}

export function TestButton({ webhook: { id, enabled } }: Props) {
  const t = useText();
  const source = useWebhookSource();
  const test = useAction(async () => {
    await source.test(id);
    await reloadWebhooks(source);
    showToast(t.testSent);
  });
  if (!enabled) return null;
  return (
    <Stack gap="xs">
      <Button variant="default" loading={test.busy} onClick={() => void test.run()}>
        {t.test}
      </Button>
      <ErrorNote error={test.error} sentences={{ conflict: t.isDisabled, forbidden: t.forbidden }} />
    </Stack>
  );
}

export function EnableButton({ webhook: { id, enabled } }: Props) {
  const t = useText();
  const source = useWebhookSource();
  const change = (next: boolean) => async () => {
    await source.change(id, { enabled: next });
    await reloadWebhooks(source);
    showToast(next ? t.nowEnabled : t.nowDisabled);
  };
  return (
    <ConfirmButton
      key={String(enabled)}
      title={enabled ? t.disableTitle : t.enableTitle}
      question={enabled ? t.disableQuestion : t.enableQuestion}
      verb={enabled ? t.disable : t.enable}
      danger={enabled}
      sentences={{ forbidden: t.forbidden }}
      work={change(!enabled)}
    />
  );
}

export function RotateButton({ webhook: { id } }: Props) {
  const t = useText();
  const source = useWebhookSource();
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <ConfirmButton
        title={t.rotateTitle}
        question={t.rotateQuestion}
        verb={t.rotate}
        danger={false}
        sentences={{ forbidden: t.forbidden }}
        work={async () => setSecret((await source.rotateSecret(id)).secret)}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}

export function DeleteButton({ webhook: { id, url } }: Props) {
  const t = useText();
  const source = useWebhookSource();
  const navigate = useNavigate();
  return (
    <ConfirmButton
      title={t.removeTitle}
      question={t.removeQuestion(url)}
      verb={t.remove}
      sentences={{ forbidden: t.forbidden }}
      work={async () => {
        await source.remove(id);
        await navigate({ to: source.path });
        await reloadWebhooks(source);
        showToast(t.removed);
      }}
    />
  );
}
