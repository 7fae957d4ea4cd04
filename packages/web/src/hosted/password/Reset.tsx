import { useState } from 'react';
import { client } from '../client.ts';
import { Frame } from '../Frame.tsx';
import { Loaded } from '../Loaded.tsx';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { useText } from '../text.ts';
import { forgetToken, takeToken } from '../token.ts';
import { isDead, type Outcome, ResetForm } from './ResetForm.tsx';

const token = takeToken();

/** Resolves with undefined if the link is no longer valid. */
const load = async () => {
  if (token === undefined) return undefined;
  try {
    return await client.signIn.previewReset(token);
  } catch (error) {
    if (isDead(error)) return undefined;
    throw error;
  }
};

/** The target of the mailed link: sets a new password. */
export function Page() {
  return <Loaded load={load}>{(link) => <Reset email={link?.email} />}</Loaded>;
}

/** `email` is undefined if the link is no longer valid. */
function Reset({ email }: { email: string | undefined }) {
  const t = useText();
  const more = useResultText();
  const [outcome, setOutcome] = useState<Outcome>();
  const end = (how: Outcome) => {
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
  if (outcome === 'dead' || token === undefined || email === undefined) {
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
      <ResetForm token={token} email={email} onEnd={end} />
    </Frame>
  );
}
