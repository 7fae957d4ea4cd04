import { useState } from 'react';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { useAction } from '../../ui/use-action.ts';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { email } from '../form/checks.ts';
import { EmailField } from '../form/EmailField.tsx';
import { SendAgain } from '../form/SendAgain.tsx';
import { useForm } from '../form/use-form.ts';
import { keep, readKept } from '../kept.ts';
import { Button, ButtonLink } from '../parts/Button.tsx';
import { Stack } from '../parts/Stack.tsx';
import { useResultText } from '../results/text.ts';
import { leadingTo, readTarget } from '../target.ts';
import { useText } from '../text.ts';
import { useStep } from '../use-step.ts';

const target = readTarget(new URLSearchParams(location.search));

const STEPS = ['ask', 'sent'] as const;

const send = async (to: string) => {
  await client.signIn.forgotPassword(to);
  keep({ email: to, linkSentAt: Date.now() });
};

/** Requests a mailed link. The response is the same for every address. */
export function Page() {
  const t = useText();
  const more = useResultText();
  const [step, show] = useStep<(typeof STEPS)[number]>(STEPS, (wanted) =>
    wanted === 'sent' && readKept().linkSentAt === undefined ? 'ask' : wanted,
  );
  const ask = useForm({
    checks: { email },
    send: async (values) => {
      await send(values.email.trim());
      show('sent');
    },
  });
  const signIn = leadingTo(target, '/sign-in');
  if (step === 'sent') return <Sent signIn={signIn} onOther={() => show('ask')} />;
  return (
    <Frame title={more.forgot.title} lead={more.forgot.lead} below={<a href={signIn}>{t.backToSignIn}</a>}>
      <form {...ask.form}>
        <Stack>
          <ErrorNote error={ask.error} sentences={{ internal_error: t.cannotMail }} />
          <EmailField defaultValue={readKept().email} {...ask.field('email')} />
          <Button type="submit" loading={ask.busy}>
            {more.forgot.submit}
          </Button>
        </Stack>
      </form>
    </Frame>
  );
}

interface Props {
  readonly signIn: string;
  readonly onOther: () => void;
}

function Sent({ signIn, onOther }: Props) {
  const t = useText();
  const more = useResultText();
  const { email: to = '', linkSentAt = 0 } = readKept();
  const [isSentAgain, setSentAgain] = useState(false);
  const again = useAction(async () => {
    await send(to);
    setSentAgain(true);
  });
  return (
    <Frame
      title={more.forgot.sentTitle}
      lead={more.forgot.sent(to)}
      below={
        <button type="button" className="link" onClick={onOther}>
          {more.forgot.other}
        </button>
      }
    >
      <ErrorNote error={again.error} sentences={{ internal_error: t.cannotMail }} />
      <div role="status" className="small">
        {isSentAgain && more.forgot.sentAgain}
      </div>
      <ButtonLink href={signIn}>{t.backToSignIn}</ButtonLink>
      <SendAgain label={more.forgot.again} sentAt={linkSentAt} busy={again.busy} onSend={() => void again.run()} />
    </Frame>
  );
}
