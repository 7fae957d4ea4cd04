import { Button, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

interface Props {
  readonly question: string;
  readonly verb: string;
  readonly danger?: boolean;
  /** `password` is undefined for an account that has none: the service then requires a fresh sign-in. */
  readonly work: (password: string | undefined) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks for the password before an action that weakens the account or shows its recovery codes. */
export function ConfirmForm({ question, verb, danger = false, work, onClose }: Props) {
  const t = useText();
  const words = useWords();
  const { email, has_password } = useMe();
  const [password, setPassword] = useState('');
  const confirm = useAction(() => work(has_password ? password : undefined));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void confirm.run();
  };
  const sentences = {
    authentication_required: t.wrongPassword,
    rate_limited: t.passwordsLocked,
    conflict: t.mfa.conflict,
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{question}</Text>
        <ErrorNote error={confirm.error} sentences={sentences} />
        {has_password && (
          <>
            <UsernameHint email={email} />
            <PasswordField
              label={t.yourPassword}
              autoComplete="current-password"
              required
              data-autofocus
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red' : undefined}
            loading={confirm.busy}
            data-autofocus={!has_password || undefined}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
