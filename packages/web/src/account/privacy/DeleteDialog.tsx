import { Stack, Text, TextInput } from '@mantine/core';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { FormButtons } from '../../app/FormButtons.tsx';
import { useMe } from '../../app/session.ts';
import { UsernameHint } from '../../app/step-up/UsernameHint.tsx';
import { useForm } from '../../app/use-form.ts';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { PasswordField } from '../../ui/PasswordField.tsx';
import { useText } from './text.ts';

export function DeleteDialog() {
  const t = useText().delete;
  return (
    <DialogButton color="red" variant="outline" verb={t.open} title={t.ask}>
      <Form />
    </DialogButton>
  );
}

function Form() {
  const t = useText().delete;
  const me = useMe();
  const form = useForm({
    values: { typed: '', password: '' },
    guarded: false,
    send: async ({ password }) => {
      await client.account.remove(me.has_password ? { password } : {});
      location.assign('/signed-out');
    },
  });
  return (
    <form {...form.props}>
      <Stack>
        <Text>{t.question}</Text>
        <TextInput
          label={t.typed(me.email)}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.field('typed')}
        />
        {me.has_password && (
          <>
            <UsernameHint email={me.email} />
            <PasswordField label={t.password} autoComplete="current-password" required {...form.field('password')} />
          </>
        )}
        <ErrorNote
          error={form.error}
          sentences={{
            authentication_required: t.wrongPassword,
            invalid_input: t.wrongPassword,
            conflict: me.platform_role === 'owner' ? t.lastPlatformOwner : t.lastOwner,
            rate_limited: t.locked,
          }}
        />
        <FormButtons
          verb={t.verb}
          busy={form.busy}
          danger
          disabled={form.values.typed.trim().toLowerCase() !== me.email.toLowerCase()}
        />
      </Stack>
    </form>
  );
}
