import type { LoginResponse } from '@gatehouse/contract';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { CodeField } from '../form/CodeField.tsx';
import { digitsOf, sixDigits } from '../form/checks.ts';
import { useForm } from '../form/use-form.ts';
import { useText } from '../text.ts';

interface Props {
  readonly email: string;
  readonly onSend: (to: string) => Promise<void>;
  readonly onAnswer: (answer: LoginResponse) => Promise<void>;
}

export function EnterCode({ email, onSend, onAnswer }: Props) {
  const t = useText();
  const words = useWords();
  const [sentAgain, setSentAgain] = useState(false);
  const enter = useForm({
    checks: { code: sixDigits },
    send: async ({ code }) => {
      setSentAgain(false);
      await onAnswer(await client.signIn.withEmailCode({ email, code: digitsOf(code) }));
    },
  });
  const again = useAction(async () => {
    enter.clear();
    await onSend(email);
    setSentAgain(true);
  });
  return (
    <form {...enter.form}>
      <Stack>
        <ErrorNote
          error={enter.error}
          sentences={{ authentication_required: t.code.wrong, forbidden: t.signIn.notAMember }}
        />
        <ErrorNote error={again.error} sentences={{ internal_error: t.cannotMail }} />
        <div>
          <Text role="status" size="sm">
            {sentAgain && t.code.sentAgain}
          </Text>
          <CodeField label={t.code.label} description={t.code.hint} {...enter.field('code')} />
        </div>
        <Button type="submit" loading={enter.busy}>
          {words.continue}
        </Button>
        <Button variant="subtle" loading={again.busy} onClick={() => void again.run()}>
          {t.code.again}
        </Button>
      </Stack>
    </form>
  );
}
