import type { LoginResponse } from '@gatehouse/contract';
import { useState } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { client } from '../client.ts';
import { CodeField } from '../form/CodeField.tsx';
import { digitsOf, sixDigits } from '../form/checks.ts';
import { SendAgain } from '../form/SendAgain.tsx';
import { useForm } from '../form/use-form.ts';
import { readKept } from '../kept.ts';
import { Button } from '../parts/Button.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useText } from '../text.ts';

interface Props {
  readonly email: string;
  readonly onSend: (to: string) => Promise<void>;
  readonly onAnswer: (answer: LoginResponse) => Promise<void>;
}

export function EnterCode({ email, onSend, onAnswer }: Props) {
  const t = useText();
  const words = useWords();
  const [sentAt, setSentAt] = useState(() => readKept().codeSentAt ?? Date.now());
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
    setSentAt(Date.now());
    setSentAgain(true);
    // The button has lost the focus, because it was disabled during the request.
    enter.form.ref.current?.querySelector('input')?.focus();
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
          <div role="status" className="small">
            {sentAgain && t.code.sentAgain}
          </div>
          <CodeField label={t.code.label} description={t.code.hint} {...enter.field('code')} />
        </div>
        <Button type="submit" loading={enter.busy}>
          {words.continue}
        </Button>
        <SendAgain label={t.code.again} sentAt={sentAt} busy={again.busy} onSend={() => void again.run()} />
      </Stack>
    </form>
  );
}
