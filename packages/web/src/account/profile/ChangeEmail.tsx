import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { FormDialog } from '../../app/FormDialog.tsx';
import { useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { useUnsaved } from '../../app/unsaved.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

interface Props {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onSent: (email: string) => void;
}

export function ChangeEmail({ opened, onClose, onSent }: Props) {
  const t = useText().email;
  return (
    <FormDialog opened={opened} onClose={onClose} title={t.changeTitle}>
      <Form onClose={onClose} onSent={onSent} />
    </FormDialog>
  );
}

/** The response does not say whether the address is in use; only its owner learns that, by mail. */
function Form({ onClose, onSent }: Omit<Props, 'opened'>) {
  const t = useText().email;
  const words = useWords();
  const me = useMe();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isSame, setIsSame] = useState(false);
  const change = useAction(async () => {
    await client.account.changeEmail({ email, ...(me.has_password && { password }) });
    onSent(email.trim());
  });
  useUnsaved(email !== '' && !change.busy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const same = email.trim().toLowerCase() === me.email;
    setIsSame(same);
    if (!same) void change.run();
  };
  const sentences = {
    authentication_required: t.wrongPassword,
    invalid_input: words.emailWrong,
    rate_limited: t.locked,
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.explain}</Text>
        <ErrorNote error={change.error} sentences={sentences} />
        <TextInput
          inputMode="email"
          autoCapitalize="none"
          label={t.newEmail}
          autoComplete="email"
          required
          data-autofocus
          error={isSame && t.same}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
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
        <FormButtons verb={t.submit} busy={change.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
