import { isGatehouseError } from '@gatehouse/client';
import { Button, Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { newPassword } from '../form/checks.ts';
import { NewPasswordField } from '../form/NewPasswordField.tsx';
import { useForm } from '../form/use-form.ts';
import { useText } from '../text.ts';

interface Props {
  readonly token: string;
  readonly onEnd: (outcome: 'done' | 'disowned' | 'dead') => void;
}

/** The token is missing, unknown, used or expired, or its account is deleted or disabled. */
const isDead = (error: unknown): boolean =>
  isGatehouseError(error, 'authentication_required') ||
  isGatehouseError(error, 'not_found') ||
  (isGatehouseError(error) && error.fields.includes('token'));

export function ResetForm({ token, onEnd }: Props) {
  const t = useText();
  const [isDisowning, setDisowning] = useState(false);
  const choose = useForm({
    checks: { new_password: newPassword },
    send: ({ new_password }) =>
      client.signIn.resetPassword({ token, new_password, ...(isDisowning && { disown: true }) }).then(
        () => onEnd(isDisowning ? 'disowned' : 'done'),
        (error: unknown) => {
          if (!isDead(error)) throw error;
          onEnd('dead');
        },
      ),
  });
  return (
    <form {...choose.form}>
      <Stack>
        <ErrorNote error={choose.error} />
        <NewPasswordField label={t.reset.newPassword} {...choose.field('new_password')} />
        <Checkbox
          label={t.reset.disown}
          description={t.reset.disownHint}
          checked={isDisowning}
          onChange={(event) => setDisowning(event.currentTarget.checked)}
        />
        <Button type="submit" loading={choose.busy}>
          {t.reset.submit}
        </Button>
      </Stack>
    </form>
  );
}
