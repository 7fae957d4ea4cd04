import { isGatehouseError } from '@gatehouse/client';
import { useState } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { client } from '../client.ts';
import { newPassword } from '../form/checks.ts';
import { NewPasswordField } from '../form/NewPasswordField.tsx';
import { useForm } from '../form/use-form.ts';
import { Button } from '../parts/Button.tsx';
import { Checkbox } from '../parts/Checkbox.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';

export type Outcome = 'done' | 'disowned' | 'dead';

interface Props {
  readonly token: string;
  readonly email: string;
  readonly onEnd: (outcome: Outcome) => void;
}

/** Returns whether the token is missing, unknown, used or expired, or its account is deleted or disabled. */
export const isDead = (error: unknown): boolean =>
  isGatehouseError(error, 'authentication_required') ||
  isGatehouseError(error, 'not_found') ||
  (isGatehouseError(error) && error.fields.includes('token'));

export function ResetForm({ token, email, onEnd }: Props) {
  const more = useResultText();
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
        {/* Tells password managers which account the password is for. */}
        <input name="username" autoComplete="username" defaultValue={email} hidden />
        <NewPasswordField label={more.reset.newPassword} {...choose.field('new_password')} />
        <Checkbox
          label={more.reset.disown}
          description={more.reset.disownHint}
          checked={isDisowning}
          onChange={setDisowning}
        />
        <Button type="submit" loading={choose.busy}>
          {more.reset.submit}
        </Button>
      </Stack>
    </form>
  );
}
