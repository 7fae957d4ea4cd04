import type { LoginSuccess } from '@gatehouse/contract';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useLanguage } from '../../ui/language.tsx';
import { client } from '../client.ts';
import { anything, email as isAddress, newPassword, required } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { NewPasswordField } from '../form/NewPasswordField.tsx';
import { useForm } from '../form/use-form.ts';
import { readKept } from '../kept.ts';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import { useText } from '../text.ts';

interface Props {
  readonly signIn: string;
  readonly onDone: (registered: LoginSuccess) => void;
}

export function Form({ signIn, onDone }: Props) {
  const t = useText();
  const more = useResultText();
  const { language } = useLanguage();
  const register = useForm({
    checks: { organization_name: required, display_name: anything, email: isAddress, password: newPassword },
    send: async (values) => onDone(await client.signIn.register({ ...values, locale: language })),
    draft: 'register',
  });
  const email = register.field('email');
  return (
    <form {...register.form}>
      <Stack>
        <ErrorNote
          error={register.error}
          sentences={{ forbidden: more.register.closed, conflict: more.register.taken }}
          links={{ conflict: { href: signIn, label: t.toSignIn } }}
        />
        <Field
          label={more.register.organization}
          description={more.register.organizationHint}
          autoComplete="organization"
          maxLength={120}
          required
          {...register.field('organization_name')}
        />
        <Field label={t.yourName} autoComplete="name" maxLength={120} {...register.field('display_name')} />
        <EmailField {...email} defaultValue={email.defaultValue ?? readKept().email} />
        <NewPasswordField {...register.field('password')} />
        <Button type="submit" loading={register.busy}>
          {more.register.submit}
        </Button>
      </Stack>
    </form>
  );
}
