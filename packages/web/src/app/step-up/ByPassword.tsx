import { Button, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useMe, useSession } from '../session.ts';
import { useText } from './text.ts';
import { UsernameHint } from './UsernameHint.tsx';
import { useSignInAgain } from './use-sign-in-again.ts';

export function ByPassword({ onDone }: { onDone: () => void }) {
  const t = useText();
  const words = useWords();
  const { email } = useMe();
  const { organization_id } = useSession().user;
  const finish = useSignInAgain(onDone);
  const [password, setPassword] = useState('');
  const signIn = useAction(async () => finish(await client.signIn.withPassword({ email, password, organization_id })));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void signIn.run();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <ErrorNote error={signIn.error} sentences={{ authentication_required: t.wrongPassword }} />
        <UsernameHint email={email} />
        <PasswordField
          data-autofocus
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={signIn.busy}>
          {words.confirm}
        </Button>
      </Stack>
    </form>
  );
}
