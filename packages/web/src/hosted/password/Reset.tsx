import { Anchor, Button } from '@mantine/core';
import { useState } from 'react';
import { Frame } from '../Frame.tsx';
import { useText } from '../text.ts';
import { forgetToken, takeToken } from '../token.ts';
import { ResetForm } from './ResetForm.tsx';

const token = takeToken();

/** The target of the mailed link: sets a new password. Whether the link is valid is only known when it is used. */
export function Page() {
  const t = useText();
  const [outcome, setOutcome] = useState<'done' | 'disowned' | 'dead' | undefined>(
    token === undefined ? 'dead' : undefined,
  );
  const end = (how: 'done' | 'disowned' | 'dead') => {
    forgetToken();
    setOutcome(how);
  };
  if (outcome === 'done' || outcome === 'disowned') {
    return (
      <Frame title={t.reset.doneTitle} lead={t.reset[outcome]}>
        <Button component="a" href="/sign-in">
          {t.toSignIn}
        </Button>
      </Frame>
    );
  }
  if (outcome === 'dead' || token === undefined) {
    return (
      <Frame title={t.deadLinkTitle} lead={t.reset.dead}>
        <Button component="a" href="/forgot-password">
          {t.reset.askAgain}
        </Button>
        <Button component="a" href="/sign-in" variant="default">
          {t.toSignIn}
        </Button>
      </Frame>
    );
  }
  return (
    <Frame title={t.reset.title} lead={t.reset.lead} below={<Anchor href="/sign-in">{t.backToSignIn}</Anchor>}>
      <ResetForm token={token} onEnd={end} />
    </Frame>
  );
}
