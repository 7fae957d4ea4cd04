import type { EmailVerifyPreview } from '@gatehouse/contract';
import { Frame } from '../Frame.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { ACCOUNT } from '../target.ts';
import { useText } from '../text.ts';

interface Props {
  readonly link: EmailVerifyPreview;
  readonly outcome: 'done' | 'disowned';
}

export function Ended({ link: { kind, email }, outcome }: Props) {
  const t = useText();
  const more = useResultText();
  const words = more.verify[kind];
  if (outcome === 'done') {
    return (
      <Frame title={words.doneTitle} lead={words.done(email)}>
        <ButtonLink href={ACCOUNT}>{t.toAccount}</ButtonLink>
      </Frame>
    );
  }
  return (
    <Frame title={words.disownedTitle} lead={words.disowned(email)}>
      {kind === 'verification' ? (
        <>
          <ButtonLink href="/forgot-password">{more.verify.verification.choosePassword}</ButtonLink>
          <ButtonLink href="/sign-in" variant="default">
            {t.toSignIn}
          </ButtonLink>
        </>
      ) : (
        <ButtonLink href="/">{t.toHome}</ButtonLink>
      )}
    </Frame>
  );
}
