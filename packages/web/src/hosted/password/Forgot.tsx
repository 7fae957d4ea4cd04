import { Anchor, Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../ui/client.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Frame } from '../Frame.tsx';
import { email } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { useForm } from '../form/use-form.ts';
import { leadingTo, readTarget } from '../target.ts';
import { useText } from '../text.ts';

const target = readTarget(new URLSearchParams(location.search));

/** Requests a mailed link. The response is the same for every address. */
export function Page() {
  const t = useText();
  const [to, setTo] = useState('');
  const [isSent, setSent] = useState(false);
  const ask = useForm({
    checks: { email },
    send: async (values) => {
      const typed = values.email.trim();
      await client.signIn.forgotPassword(typed);
      setTo(typed);
      setSent(true);
    },
  });
  const signIn = leadingTo(target, '/sign-in');
  if (isSent) {
    return (
      <Frame title={t.forgot.sentTitle} lead={t.forgot.sent(to)}>
        <Button component="a" href={signIn}>
          {t.backToSignIn}
        </Button>
        <Button variant="default" onClick={() => setSent(false)}>
          {t.forgot.again}
        </Button>
      </Frame>
    );
  }
  return (
    <Frame title={t.forgot.title} lead={t.forgot.lead} below={<Anchor href={signIn}>{t.backToSignIn}</Anchor>}>
      <form {...ask.form}>
        <Stack>
          <ErrorNote error={ask.error} sentences={{ internal_error: t.cannotMail }} />
          <EmailField defaultValue={to} {...ask.field('email')} />
          <Button type="submit" loading={ask.busy}>
            {t.forgot.submit}
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}
