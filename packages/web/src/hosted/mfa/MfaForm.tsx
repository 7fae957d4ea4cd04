import { type ReactNode, useEffect, useRef } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useWords } from '../../ui/words.ts';
import { CodeField } from '../form/CodeField.tsx';
import { digitsOf, required, sixDigits } from '../form/checks.ts';
import { useForm } from '../form/use-form.ts';
import { Button } from '../parts/Button.tsx';
import { Field, type FieldProps } from '../parts/Field.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import { useText } from '../text.ts';

interface Props {
  readonly kind: 'code' | 'recovery_code';
  readonly onAnswer: (answer: { code: string } | { recovery_code: string }) => Promise<void>;
  /** Shown above the field, because the sixth digit submits the form. */
  readonly children: ReactNode;
}

export function MfaForm({ kind, onAnswer, children }: Props) {
  const t = useResultText();
  const { signIn } = useText();
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
            forbidden: signIn.notAMember,
          }}
        />
        {children}
        {isCode ? (
          <CodeField label={t.mfa.code} description={t.mfa.codeHint} {...enter.field('code')} />
        ) : (
          <RecoveryField label={t.mfa.recoveryCode} description={t.mfa.recoveryHint} {...enter.field('code')} />
        )}
        <Button type="submit" loading={enter.busy}>
          {words.continue}
        </Button>
      </Stack>
    </form>
  );
}

function RecoveryField(props: FieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <Field
      ref={field}
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      required
      {...props}
    />
  );
}
