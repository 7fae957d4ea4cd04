import { useEffect, useRef } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { email as isAddress } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { useForm } from '../form/use-form.ts';
import { keep } from '../kept.ts';
import { Button } from '../parts/Button.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useText } from '../text.ts';

interface Props {
  readonly email: string;
  readonly onSend: (to: string) => Promise<void>;
}

export function AskForCode({ email, onSend }: Props) {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const ask = useForm({ checks: { email: isAddress }, send: (values) => onSend(values.email.trim()) });
  return (
    <form {...ask.form}>
      <Stack>
        <ErrorNote error={ask.error} sentences={{ internal_error: t.cannotMail }} />
        <EmailField
          ref={field}
          defaultValue={email}
          onChange={(event) => keep({ email: event.currentTarget.value.trim() })}
          {...ask.field('email')}
        />
        <Button type="submit" loading={ask.busy}>
          {t.code.send}
        </Button>
      </Stack>
    </form>
  );
}
