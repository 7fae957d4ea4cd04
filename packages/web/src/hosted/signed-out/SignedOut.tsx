import { forgetSession } from '../../ui/session-hint.ts';
import { Frame } from '../Frame.tsx';
import { forgetDrafts } from '../form/use-form.ts';
import { takeStored } from '../invitation/stored-token.ts';
import { forgetKept } from '../kept.ts';
import { ButtonLink } from '../parts/Button.tsx';
import { useResultText } from '../results/text.ts';
import { useText } from '../text.ts';

// All stored values belong to the user who has just signed out.
takeStored();
forgetKept();
forgetDrafts();
forgetSession();

export function Page() {
  const t = useText();
  const more = useResultText();
  return (
    <Frame title={more.signedOut.title} lead={more.signedOut.lead}>
      <ButtonLink href="/sign-in">{more.signedOut.again}</ButtonLink>
      <ButtonLink href="/" variant="default">
        {t.toHome}
      </ButtonLink>
    </Frame>
  );
}
