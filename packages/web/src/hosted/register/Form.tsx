import { isGatehouseError } from '@gatehouse/client';
import type { LoginSuccess } from '@gatehouse/contract';
import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { client } from '../../ui/client.ts';
import { ErrorNote, Note } from '../../ui/ErrorNote.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { anything, email, newPassword, required } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { NewPasswordField } from '../form/NewPasswordField.tsx';
import { useForm } from '../form/use-form.ts';
import { useText } from '../text.ts';

interface Props {
  readonly signIn: string;
  readonly onDone: (registered: LoginSuccess) => void;
}

export function Form({ signIn, onDone }: Props) {
  const t = useText();
  const { language } = useLanguage();
  const register = useForm({
    checks: { organization_name: required, display_name: anything, email, password: newPassword },
    send: async (values) => onDone(await client.signIn.register({ ...values, locale: language })),
  });
  return (
    <form {...register.form}>
      <Stack>
        {isGatehouseError(register.error, 'conflict') ? (
          <Note>
            {t.register.taken} <Anchor href={signIn}>{t.toSignIn}</Anchor>
          </Note>
        ) : (
          <ErrorNote error={register.error} sentences={{ forbidden: t.register.closed }} />
        )}
        <TextInput
          label={t.register.organization}
          description={t.register.organizationHint}
          autoComplete="organization"
          maxLength={120}
          required
          {...register.field('organization_name')}
        />
        <TextInput label={t.yourName} autoComplete="name" maxLength={120} {...register.field('display_name')} />
        <EmailField {...register.field('email')} />
        <NewPasswordField {...register.field('password')} />
        <Button type="submit" loading={register.busy}>
          {t.register.submit}
        </Button>
      </Stack>
    </form>
  );
}
