import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { Dialog } from '../Dialog.tsx';
import { useText } from './text.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function DeleteDialog({ opened, onClose }: Props) {
  const t = useText().delete;
  return (
    <Dialog opened={opened} onClose={onClose} title={t.ask}>
      <Form onClose={onClose} />
    </Dialog>
  );
}

function Form({ onClose }: { onClose: () => void }) {
  const t = useText().delete;
  const words = useWords();
  const me = useMe();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const remove = useAction(async () => {
    await client.account.remove(me.has_password ? { password } : {});
    location.assign('/signed-out');
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void remove.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{t.question}</Text>
        <TextInput
          label={t.typed(me.email)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {me.has_password && (
          <>
            <UsernameHint email={me.email} />
            <PasswordField
              label={t.password}
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          </>
        )}
        <ErrorNote
          error={remove.error}
          sentences={{
            authentication_required: t.wrongPassword,
            invalid_input: t.wrongPassword,
            conflict: me.platform_role === 'owner' ? t.lastPlatformOwner : t.lastOwner,
            rate_limited: t.locked,
          }}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button
            type="submit"
            color="red"
            loading={remove.busy}
            disabled={typed.trim().toLowerCase() !== me.email.toLowerCase()}
          >
            {t.verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
