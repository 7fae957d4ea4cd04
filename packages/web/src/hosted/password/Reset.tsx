import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { useMoreText } from '../more-text.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { useText } from '../text.ts';
import { forgetToken, takeToken } from '../token.ts';
import { ResetForm } from './ResetForm.tsx';

const token = takeToken();

/** The target of the mailed link: sets a new password. Whether the link is valid is only known when it is used. */
export function Page() {
  const t = useText();
  const more = useMoreText();
  const [outcome, setOutcome] = useState<'done' | 'disowned' | 'dead' | undefined>(
    token === undefined ? 'dead' : undefined,
  );
  const end = (how: 'done' | 'disowned' | 'dead') => {
    forgetToken();
    setOutcome(how);
  };
  if (outcome === 'done' || outcome === 'disowned') {
    return (
      <Frame title={more.reset.doneTitle} lead={more.reset[outcome]}>
        <ButtonLink href="/sign-in">{t.toSignIn}</ButtonLink>
      </Frame>
    );
  }
  if (outcome === 'dead' || token === undefined) {
    return (
      <Frame title={t.deadLinkTitle} lead={more.reset.dead}>
        <ButtonLink href="/forgot-password">{more.reset.askAgain}</ButtonLink>
        <ButtonLink href="/sign-in" variant="default">
          {t.toSignIn}
        </ButtonLink>
      </Frame>
    );
  }
  return (
    <Frame title={more.reset.title} lead={more.reset.lead} below={<a href="/sign-in">{t.backToSignIn}</a>}>
      <ResetForm token={token} onEnd={end} />
    </Frame>
  );
}
