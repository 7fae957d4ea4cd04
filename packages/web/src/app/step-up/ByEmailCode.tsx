import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useMe, useSession } from '../session.ts';
import { useForm } from '../use-form.ts';
import { useText } from './text.ts';
import { useSignInAgain } from './use-sign-in-again.ts';

export function ByEmailCode({ onDone }: { onDone: () => void }) {
  const t = useText();
  const words = useWords();
  const { email } = useMe();
  const { organization_id } = useSession().user;
  const finish = useSignInAgain(onDone);
  const [sent, setSent] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (sent) field.current?.focus();
  }, [sent]);
  const send = useAction(async () => {
    await client.signIn.requestEmailCode(email);
    setSent(true);
  });
  const form = useForm({
    values: { code: '' },
    guarded: false,
    send: async ({ code }) =>
      finish(await client.signIn.withEmailCode({ email, code: code.replaceAll(/\s/g, ''), organization_id })),
  });
  if (!sent) {
    return (
      <Stack>
        <ErrorNote error={send.error} />
        <Button
          variant="default"
          leftSection={<Icon name="mail" />}
          loading={send.busy}
          onClick={() => void send.run()}
        >
          {t.sendCode}
        </Button>
      </Stack>
    );
  }
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm" role="status">
          {t.codeSent(email)}
        </Text>
        <ErrorNote
          error={form.error ?? send.error}
          sentences={{ authentication_required: t.wrongEmailCode, invalid_input: words.codeWrong }}
        />
        <TextInput
          ref={field}
          label={t.emailCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...form.field('code')}
        />
        <Button type="submit" loading={form.busy}>
          {words.confirm}
        </Button>
        <Button variant="subtle" loading={send.busy} onClick={() => void send.run()}>
          {t.sendAgain}
        </Button>
      </Stack>
    </form>
  );
}
