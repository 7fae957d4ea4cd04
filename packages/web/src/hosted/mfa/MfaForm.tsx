import { Button, Stack, TextInput, type TextInputProps } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';
import { CodeField } from '../form/CodeField.tsx';
import { digitsOf, required, sixDigits } from '../form/checks.ts';
import { useForm } from '../form/use-form.ts';
import { useText } from '../text.ts';

interface Props {
  readonly kind: 'code' | 'recovery_code';
  readonly onAnswer: (answer: { code: string } | { recovery_code: string }) => Promise<void>;
  readonly children: ReactNode;
}

export function MfaForm({ kind, onAnswer, children }: Props) {
  const t = useText();
  const words = useWords();
  const isCode = kind === 'code';
  const enter = useForm({
    checks: { code: isCode ? sixDigits : required },
    send: ({ code }) => onAnswer(isCode ? { code: digitsOf(code) } : { recovery_code: code.trim() }),
  });
  return (
    <form {...enter.form}>
      <Stack>
        <ErrorNote
          error={enter.error}
          sentences={{
            authentication_required: t.mfa.wrong[kind],
            rate_limited: t.mfa.tooOften[kind],
            forbidden: t.signIn.notAMember,
          }}
        />
        {isCode ? (
          <CodeField label={t.mfa.code} description={t.mfa.codeHint} {...enter.field('code')} />
        ) : (
          <RecoveryField {...enter.field('code')} />
        )}
        {children}
        <Button type="submit" loading={enter.busy}>
          {words.continue}
        </Button>
      </Stack>
    </form>
  );
}

function RecoveryField(props: TextInputProps) {
  const t = useText().mfa;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <TextInput
      ref={field}
      label={t.recoveryCode}
      description={t.recoveryHint}
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      required
      {...props}
    />
  );
}
