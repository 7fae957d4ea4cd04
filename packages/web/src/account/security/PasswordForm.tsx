import { LIMITS } from '@gatehouse/contract';
import { Stack, Text } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { reloadSession, useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { PasswordStrength } from '../../ui/PasswordStrength.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

const { min, max } = LIMITS.password;

interface Props {
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** Changes the password, or sets the first one, which requires a fresh sign-in instead of the current password. */
export function PasswordForm({ onClose, onSaved }: Props) {
  const t = useText();
  const words = useWords();
  const { email, display_name, has_password } = useMe();
  const related = useMemo(() => [email, display_name ?? ''], [email, display_name]);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [fault, setFault] = useState<string>();
  const change = useAction(async () => {
    await client.account.changePassword({ new_password: next, ...(has_password && { current_password: current }) });
    await reloadSession();
    // The service has revoked other sessions and trusted browsers.
    void queries.invalidateQueries();
    onSaved();
  });
  const faultOf = (): string | undefined => {
    // The service also counts characters, not bytes or UTF-16 units.
    const { length } = [...next];
    if (length < min) return words.passwordTooShort(min);
    if (length > max) return words.passwordTooLong(max);
    return has_password && next === current ? t.password.same : undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = faultOf();
    setFault(found);
    if (!found) void change.run();
  };
  const sentences = { authentication_required: t.wrongPassword, rate_limited: t.passwordsLocked };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{t.password.ends}</Text>
        <ErrorNote error={change.error} sentences={sentences} />
        <UsernameHint email={email} />
        {has_password && (
          <PasswordField
            label={t.password.current}
            autoComplete="current-password"
            required
            data-autofocus
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
        )}
        <PasswordField
          label={t.password.new}
          description={words.passwordLength(min, max)}
          autoComplete="new-password"
          required
          data-autofocus={!has_password || undefined}
          error={fault}
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
        <PasswordStrength password={next} related={related} />
        <FormButtons verb={has_password ? t.password.change : t.password.set} busy={change.busy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
