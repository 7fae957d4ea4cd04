import type { EmailVerifyPreview } from '@gatehouse/contract';
import { Button } from '@mantine/core';
import { Frame } from '../Frame.tsx';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';

interface Props {
  readonly link: EmailVerifyPreview;
  readonly outcome: 'done' | 'disowned';
}

export function Ended({ link: { kind, email }, outcome }: Props) {
  const t = useText();
  const words = t.verify[kind];
  if (outcome === 'done') {
    return (
      <Frame title={words.doneTitle} lead={words.done(email)}>
        <Button component="a" href={ACCOUNT}>
          {t.toAccount}
        </Button>
      </Frame>
    );
  }
  return (
    <Frame title={words.disownedTitle} lead={words.disowned(email)}>
      {kind === 'verification' ? (
        <>
          <Button component="a" href="/forgot-password">
            {t.verify.verification.choosePassword}
          </Button>
          <Button component="a" href="/sign-in" variant="default">
            {t.toSignIn}
          </Button>
        </>
      ) : (
        <Button component="a" href="/">
          {t.toHome}
        </Button>
      )}
    </Frame>
  );
}
