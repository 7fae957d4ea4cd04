import { LIMITS } from '@gatehouse/contract';
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { FormButtons } from '../../app/FormButtons.tsx';
import { queries } from '../../app/query.ts';
import { reloadSession, useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { useCloseDialog } from '../../app/unsaved.ts';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { PasswordStrength } from '../../ui/PasswordStrength.tsx';
import { useWords } from '../../ui/words.ts';
import { useText } from './text.ts';

const { min, max } = LIMITS.password;

/** Changes the password, or sets the first one, which requires a fresh sign-in instead of the current password. */
export function PasswordForm({ onSaved }: { onSaved: () => void }) {
  const t = useText();
  const words = useWords();
  const close = useCloseDialog();
  const { email, display_name, has_password } = useMe();
  const related = useMemo(() => [email, display_name ?? ''], [email, display_name]);
  const faultOf = (current: string, next: string): string | undefined => {
    // The service also counts characters, not bytes or UTF-16 units.
    const { length } = [...next];
    if (length < min) return words.passwordTooShort(min);
    if (length > max) return words.passwordTooLong(max);
    return has_password && next === current ? t.password.same : undefined;
  };
  const form = useForm({
    values: { current: '', next: '' },
    guarded: false,
    check: ({ current, next }) => ({ next: faultOf(current, next) }),
    send: async ({ current, next }) => {
      await client.account.changePassword({ new_password: next, ...(has_password && { current_password: current }) });
      await reloadSession();
      // The service has revoked other sessions and trusted browsers.
      void queries.invalidateQueries();
      onSaved();
      close();
    },
  });
  const sentences = { authentication_required: t.wrongPassword, rate_limited: t.passwordsLocked };
  return (
    <form {...form.props}>
      <Stack>
        <Text size="sm">{t.password.ends}</Text>
        <ErrorNote error={form.error} sentences={sentences} />
        <UsernameHint email={email} />
        {has_password && (
          <PasswordField
            label={t.password.current}
            autoComplete="current-password"
            required
            data-autofocus
            {...form.field('current')}
          />
        )}
        <PasswordField
          label={t.password.new}
          description={words.passwordLength(min, max)}
          autoComplete="new-password"
          required
          data-autofocus={!has_password || undefined}
          {...form.field('next')}
        />
        <PasswordStrength password={form.values.next} related={related} />
        <FormButtons verb={has_password ? t.password.change : t.password.set} busy={form.busy} />
      </Stack>
    </form>
  );
}
