import { Button, Stack } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useWords } from '../../ui/words.ts';
import { useMe, useSession } from '../session.ts';
import { useForm } from '../use-form.ts';
import { useText } from './text.ts';
import { UsernameHint } from './UsernameHint.tsx';
import { useSignInAgain } from './use-sign-in-again.ts';

export function ByPassword({ onDone }: { onDone: () => void }) {
  const t = useText();
  const words = useWords();
  const { email } = useMe();
  const { organization_id } = useSession().user;
  const finish = useSignInAgain(onDone);
  const form = useForm({
    values: { password: '' },
    guarded: false,
    send: async ({ password }) => finish(await client.signIn.withPassword({ email, password, organization_id })),
  });
  return (
    <form {...form.props}>
      <Stack>
        <ErrorNote error={form.error} sentences={{ authentication_required: t.wrongPassword }} />
        <UsernameHint email={email} />
        <PasswordField data-autofocus autoComplete="current-password" required {...form.field('password')} />
        <Button type="submit" loading={form.busy}>
          {words.confirm}
        </Button>
      </Stack>
    </form>
  );
}
