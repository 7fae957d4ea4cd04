import { Button, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useMe, useSession } from '../session.ts';
import { useText } from './text.ts';
import { useSignInAgain } from './use-sign-in-again.ts';

export function ByEmailCode({ onDone }: { onDone: () => void }) {
  const t = useText();
  const words = useWords();
  const { email } = useMe();
  const { organization_id } = useSession().user;
  const finish = useSignInAgain(onDone);
  const [code, setCode] = useState('');
  const [sent, setSent] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (sent) field.current?.focus();
  }, [sent]);
  const send = useAction(async () => {
    await client.signIn.requestEmailCode(email);
    setSent(true);
  });
  const signIn = useAction(async () =>
    finish(await client.signIn.withEmailCode({ email, code: code.replaceAll(/\s/g, ''), organization_id })),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void signIn.run();
  };
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
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" role="status">
          {t.codeSent(email)}
        </Text>
        <ErrorNote
          error={signIn.error ?? send.error}
          sentences={{ authentication_required: t.wrongEmailCode, invalid_input: words.codeWrong }}
        />
        <TextInput
          ref={field}
          label={t.emailCode}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" loading={signIn.busy}>
          {words.confirm}
        </Button>
        <Button variant="subtle" loading={send.busy} onClick={() => void send.run()}>
          {t.sendAgain}
        </Button>
      </Stack>
    </form>
  );
}
